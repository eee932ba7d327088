package chart

// CSS is the style of charts, for the page that holds them. The page switches to the dark form with data-theme="dark"
// on its root, or by the reader's preference unless data-theme="light" is set.
const CSS = `
:root{--ch-text:#33393f;--ch-faint:#6b737b;--ch-grid:#e3e6e9;--ch-axis:#8b939b;--ch-paper:#fff;
--ch0:#0072b2;--ch1:#d55e00;--ch2:#00845f;--ch3:#b0558a;--ch4:#c98500;--ch5:#3f9fd6;--ch6:#555b61;--ch7:#8a6d1c}
@media (prefers-color-scheme:dark){:root:not([data-theme=light]){` + dark + `}}
:root[data-theme=dark]{` + dark + `}
.chart{font:12px/1.2 var(--sans,system-ui,sans-serif);font-variant-numeric:tabular-nums;overflow:visible}
.chart text{fill:var(--ch-text)}
.chart .tick{fill:var(--ch-faint);font-size:11px;
paint-order:stroke;stroke:var(--ch-paper);stroke-width:3px;stroke-linejoin:round}
.chart .lab,.chart .leg{font-size:12px}
.chart .miss{fill:var(--ch-faint);font-size:9px}
.chart .grid{stroke:var(--ch-grid);stroke-width:1}
.chart .axis{stroke:var(--ch-axis);stroke-width:1}
.chart .diag{stroke:var(--ch-axis);stroke-width:1;stroke-dasharray:4 4}
.chart .c0{--c:var(--ch0)}.chart .c1{--c:var(--ch1)}.chart .c2{--c:var(--ch2)}.chart .c3{--c:var(--ch3)}
.chart .c4{--c:var(--ch4)}.chart .c5{--c:var(--ch5)}.chart .c6{--c:var(--ch6)}.chart .c7{--c:var(--ch7)}
.chart .l{stroke:var(--c);stroke-width:1.8;fill:none;stroke-linejoin:round}
.chart .l.pub{stroke-dasharray:5 3;stroke-width:1.4}
.chart .m{fill:var(--c);stroke:var(--ch-paper);stroke-width:1}
.chart .m.pub{fill:var(--ch-paper);stroke:var(--c);stroke-width:1.5}
.chart .b{fill:var(--c)}
.chart .b.pub{fill:var(--c);fill-opacity:.28;stroke:var(--c);stroke-width:1;stroke-dasharray:3 2}
.chart .w{stroke:var(--ch-text);stroke-width:1}
.chart .e{stroke:var(--c);stroke-width:1.2}
.chart .gap{fill:var(--ch1);fill-opacity:.22;stroke:none}
.chart .area{fill:var(--c);fill-opacity:.1;stroke:var(--c);stroke-width:1.8;stroke-linejoin:round}
.chart .area.pub{fill-opacity:0;stroke-dasharray:5 3;stroke-width:1.4}
.chart .none{fill:none;stroke:var(--ch-grid)}
`

const dark = `--ch-text:#d5dae0;--ch-faint:#98a1aa;--ch-grid:#31373e;--ch-axis:#6d767f;--ch-paper:#15181c;
--ch0:#5ab4ef;--ch1:#ff8f4f;--ch2:#3fd0a0;--ch3:#e39cc6;--ch4:#f1b441;--ch5:#a5d8f8;--ch6:#b9c0c7;--ch7:#d6bd6c`
