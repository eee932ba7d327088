package procedural

// Papers that more than one kind comes from.
const (
	baradad = "Baradad et al., Learning to See by Looking at Noise, NeurIPS 2021"
	kataoka = "Kataoka et al., Pre-training without Natural Images, ACCV 2020"
)

// table holds the kinds in the order in which they are listed.
var table = []Kind{
	{
		Name: "fractals",
		Doc:  "color fractals of iterated function systems, flame coloring, over painted grounds",
		Paper: "Anderson and Farrell, Improving Fractal Pre-training, WACV 2022; " +
			"Draves, The Fractal Flame Algorithm, 2003",
		make: func() painter { return new(fractals) }, work: fine,
	},
	{
		Name:  "escape",
		Doc:   "escape-time fractals: windows on the edge of Mandelbrot, Julia, burning ship and other sets",
		Paper: "Peitgen and Richter, The Beauty of Fractals, 1986",
		make:  func() painter { return new(escape) }, work: fine,
	},
	{
		Name:  "fractaldb",
		Doc:   "FractalDB: gray fractals of iterated function systems, drawn by points and patches",
		Paper: kataoka,
		make:  func() painter { return new(fractalDB) }, work: published,
	},
	{
		Name: "fractaldb-color", stream: "fractaldb-colour",
		Doc:   "FractalDB in its program's color option: hue by the number of the point",
		Paper: kataoka,
		make:  func() painter { return &fractalDB{color: true} }, work: published,
	},
	{
		Name:  "deadleaves",
		Doc:   "dead leaves of one shape or several, plain or shaded, in sizes by a power law",
		Paper: "Lee, Mumford and Huang, Occlusion Models for Natural Images, IJCV 41, 2001; " + baradad,
		make:  func() painter { return new(leaves) }, work: fine,
	},
	{
		Name:  "deadleaves-squares",
		Doc:   "dead leaves that are upright squares of any color, as in PixMix's comparison",
		Paper: baradad,
		make:  func() painter { return &leaves{squares: true} }, work: fine,
	},
	{
		Name:  "spectrum",
		Doc:   "noise with the spectrum, the colors and the wavelet marginals of photographs",
		Paper: baradad + "; Portilla and Simoncelli, IJCV 40, 2000",
		make:  func() painter { return &spectrum{wavelets: true} }, work: power2,
	},
	{
		Name: "spectrum-color", stream: "spectrum-colour",
		Doc:   "noise with the spectrum and the colors of photographs, without wavelet marginals",
		Paper: baradad,
		make:  func() painter { return new(spectrum) }, work: power2,
	},
	{
		Name:  "stylegan",
		Doc:   "random networks in the manner of StyleGAN with oriented wavelets for filters",
		Paper: baradad + "; Karras et al., CVPR 2019",
		make:  func() painter { return new(network) }, work: power2,
	},
	{
		Name: "mixed",
		Doc: "of 20 images 8 fractals, 5 escape, 2 each of deadleaves, spectrum and stylegan, 1 " +
			"fractaldb-color",
		Paper: "those of its parts",
		mix: []share{
			{"fractals", 8},
			{"escape", 5},
			{"deadleaves", 2},
			{"spectrum", 2},
			{"stylegan", 2},
			{"fractaldb-color", 1},
		},
	},
}

// fine is the side at which images are painted that need antialiasing.
func fine(side int) int {
	switch {
	case side <= 48:
		return 4 * side
	case side <= 128:
		return 3 * side
	case side <= 1024:
		return 2 * side
	}
	return side
}

// power2 is the side of images that Fourier transforms make: a power of two, 128 at least.
func power2(side int) int {
	n := 128
	for n < side {
		n *= 2
	}
	return n
}
