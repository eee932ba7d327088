package weights

import "strings"

// KeyPreprocess is the key, in the metadata of checkpoints and weights, of the spec (package preprocess) that the
// network's images went through in training, and are to go through in evaluation. It is missing where there was none.
const KeyPreprocess = "augmix.preprocess"

// KeyMix is the key of the spec (package mix) of what the network's images went through in training besides. It is missing where there
// was none.
const KeyMix = "augmix.mix"

// KeyANT is the key of the length of the noise that the network was trained on by adversarial noise training. It is missing where it was
// not.
const KeyANT = "augmix.ant"

// KeyFeatureNoise is the key of the standard deviations of the normal noise that training added to and multiplied with activations, the
// input's among them: two numbers with a comma between. It is missing where there was none.
const KeyFeatureNoise = "augmix.feature-noise"

// Keys of what the network was trained on before its last training, by the weights that this started from, or by what the training
// images were made with: names with a comma and a space between, as package results has them in rows, of ImageNet-C's corruptions, of
// C-bar's, and of the four for validation. They are missing where there was none.
const (
	KeyTrainedOn           = "augmix.trained-on"
	KeyTrainedOnBar        = "augmix.trained-on-cbar"
	KeyTrainedOnValidation = "augmix.trained-on-validation"
)

// Prefixes of the tensors of a checkpoint that are not the network's weights.
const (
	PrefixOptimizer = "optimizer." // the optimizer's state
	PrefixEMA       = "ema."       // the moving average of the weights
)

// Split sorts the tensors of a checkpoint by what they are, without their prefixes.
func Split(ts []Tensor) (net, optimizer, average []Tensor) {
	for _, t := range ts {
		if name, ok := strings.CutPrefix(t.Name, PrefixOptimizer); ok {
			t.Name = name
			optimizer = append(optimizer, t)
		} else if name, ok := strings.CutPrefix(t.Name, PrefixEMA); ok {
			t.Name = name
			average = append(average, t)
		} else {
			net = append(net, t)
		}
	}
	return net, optimizer, average
}

// Network returns the tensors of a file that are the network's: of a checkpoint those that are meant to be used, which
// are the average where one is kept, else all of them.
func Network(ts []Tensor) []Tensor {
	net, _, average := Split(ts)
	if len(average) > 0 {
		return average
	}
	return net
}
