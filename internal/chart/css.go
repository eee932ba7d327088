package chart

// CSS is the style of charts, for the page that holds them. The page switches to the dark form with data-theme="dark"
// on its root, or by the reader's preference unless data-theme="light" is set. A color of the dark form has the hue of its
// light one, and a lightness by which the eight stay apart for all kinds of sight.
const CSS = `
:root{--ch-text:#33393f;--ch-faint:#6b737b;--ch-grid:#e3e6e9;--ch-axis:#8b939b;--ch-paper:#fff;
--ch0:#116fb9;--ch1:#c35406;--ch2:#499164;--ch3:#a16288;--ch4:#ad9300;--ch5:#169cd1;--ch6:#4c4a6a;--ch7:#664203}
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
.chart .w{stroke:var(--ch-text);stroke-width:1.3}
.chart .wh{stroke:var(--ch-paper);stroke-width:3}
.chart .e{stroke:var(--c);stroke-width:1.2}
.chart .gap{fill:var(--ch1);fill-opacity:.22;stroke:none}
.chart .none{fill:none;stroke:var(--ch-grid)}
.chart .any{fill:var(--ch-axis)}
.chart .val{font-size:11.5px;paint-order:stroke;stroke:var(--ch-paper);stroke-width:3px;stroke-linejoin:round}
.chart .span{stroke:var(--ch-grid);stroke-width:5;stroke-linecap:round}
.chart .halo{stroke:var(--ch-paper);stroke-width:5}
.chart .ref{stroke:var(--ch-text);stroke-width:2.2}
.chart .cells{image-rendering:pixelated}
.chart .box{fill:none;stroke:var(--ch-axis)}
.panels .grid{display:grid;gap:16px 28px;align-items:start;
grid-template-columns:repeat(auto-fill,minmax(min(100%,var(--wide)),1fr))}
@media (max-width:640px){.panels .grid{--wide:var(--narrow)!important;gap:12px 14px}}
.panels .panel,.panels .shared{min-width:0}
.panels .shared{margin-bottom:8px;display:flex;flex-wrap:wrap;gap:0 16px}
.panels .head{font-size:12.5px;font-weight:600;margin:0 0 4px}
.panels .panel>svg,.panels .shared>svg{display:block;width:100%;height:auto;min-width:0;max-height:none}
.panels .panel>svg{min-width:var(--least)}
.panels .shared>svg{flex:none;width:auto;max-width:100%}
@media print{.panels .panel>svg{min-width:0}.panels .grid{grid-template-columns:repeat(var(--across),1fr);gap:8px 14px}}
`

const dark = `--ch-text:#d5dae0;--ch-faint:#98a1aa;--ch-grid:#31373e;--ch-axis:#6d767f;--ch-paper:#15181c;
--ch0:#1f78c3;--ch1:#b9510c;--ch2:#7ad59b;--ch3:#946280;--ch4:#ddbc00;--ch5:#4da3cd;--ch6:#c7c5f1;--ch7:#b29269`
