package report

import "strings"

// texSigns are characters that LaTeX has as commands in formulas, or that look like a letter there.
var texSigns = map[rune]string{
	'Α': `A`, 'Β': `B`, 'Γ': `\Gamma`, 'Δ': `\Delta`, 'Ε': `E`, 'Ζ': `Z`,
	'Η': `H`, 'Θ': `\Theta`, 'Ι': `I`, 'Κ': `K`, 'Λ': `\Lambda`, 'Μ': `M`,
	'Ν': `N`, 'Ξ': `\Xi`, 'Ο': `O`, 'Π': `\Pi`, 'Ρ': `P`, 'Σ': `\Sigma`,
	'Τ': `T`, 'Υ': `\Upsilon`, 'Φ': `\Phi`, 'Χ': `X`, 'Ψ': `\Psi`, 'Ω': `\Omega`,
	'α': `\alpha`, 'β': `\beta`, 'γ': `\gamma`, 'δ': `\delta`, 'ε': `\epsilon`, 'ζ': `\zeta`,
	'η': `\eta`, 'θ': `\theta`, 'ι': `\iota`, 'κ': `\kappa`, 'λ': `\lambda`, 'μ': `\mu`,
	'ν': `\nu`, 'ξ': `\xi`, 'ο': `o`, 'π': `\pi`, 'ρ': `\rho`, 'ς': `\varsigma`,
	'σ': `\sigma`, 'τ': `\tau`, 'υ': `\upsilon`, 'φ': `\phi`, 'χ': `\chi`, 'ψ': `\psi`,
	'ω':      `\omega`,
	'\u00b5': `\mu`, 'ϵ': `\epsilon`, 'ϕ': `\phi`, 'ϑ': `\vartheta`, '×': `\times`, '·': `\cdot`,
	'≤': `\le`, '≥': `\ge`, '≈': `\approx`, '≠': `\ne`, '∞': `\infty`, '←': `\leftarrow`,
	'→': `\to`, '↓': `\downarrow`, '↑': `\uparrow`, '±': `\pm`, '∼': `\sim`, '√': `\surd`,
	'∈': `\in`, '∅': `\emptyset`,
}

// texCommon are characters behind Latin ones that every LaTeX takes as UTF-8.
const texCommon = "−†‡§¶‖◊△▽–—‘’“”‚„…•€™\u0304\u2009"

// texLacks reports whether pdfLaTeX cannot set text: it has characters that are no Latin letters and no command.
func texLacks(s string) bool {
	return strings.ContainsFunc(oneLine(s), func(r rune) bool {
		return r > 'ſ' && texSigns[r] == "" && !strings.ContainsRune(texCommon, r)
	})
}
