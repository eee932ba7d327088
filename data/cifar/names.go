package cifar

import "strings"

// Classes10 returns CIFAR-10's class names in label order.
func Classes10() []string {
	return strings.Fields("airplane automobile bird cat deer dog frog horse ship truck")
}

// Classes100 returns CIFAR-100's 100 fine class names in label order, which is alphabetical.
func Classes100() []string {
	return strings.Fields(`
		apple aquarium_fish baby bear beaver bed bee beetle bicycle bottle
		bowl boy bridge bus butterfly camel can castle caterpillar cattle
		chair chimpanzee clock cloud cockroach couch crab crocodile cup dinosaur
		dolphin elephant flatfish forest fox girl hamster house kangaroo keyboard
		lamp lawn_mower leopard lion lizard lobster man maple_tree motorcycle mountain
		mouse mushroom oak_tree orange orchid otter palm_tree pear pickup_truck pine_tree
		plain plate poppy porcupine possum rabbit raccoon ray road rocket
		rose sea seal shark shrew skunk skyscraper snail snake spider
		squirrel streetcar sunflower sweet_pepper table tank telephone television tiger tractor
		train trout tulip turtle wardrobe whale willow_tree wolf woman worm`)
}

// superclasses lists CIFAR-100's 20 coarse classes in label order, each followed by its five fine classes (the table on
// the data set's home page).
var superclasses = [20][6]string{
	{"aquatic_mammals", "beaver", "dolphin", "otter", "seal", "whale"},
	{"fish", "aquarium_fish", "flatfish", "ray", "shark", "trout"},
	{"flowers", "orchid", "poppy", "rose", "sunflower", "tulip"},
	{"food_containers", "bottle", "bowl", "can", "cup", "plate"},
	{"fruit_and_vegetables", "apple", "mushroom", "orange", "pear", "sweet_pepper"},
	{"household_electrical_devices", "clock", "keyboard", "lamp", "telephone", "television"},
	{"household_furniture", "bed", "chair", "couch", "table", "wardrobe"},
	{"insects", "bee", "beetle", "butterfly", "caterpillar", "cockroach"},
	{"large_carnivores", "bear", "leopard", "lion", "tiger", "wolf"},
	{"large_man-made_outdoor_things", "bridge", "castle", "house", "road", "skyscraper"},
	{"large_natural_outdoor_scenes", "cloud", "forest", "mountain", "plain", "sea"},
	{"large_omnivores_and_herbivores", "camel", "cattle", "chimpanzee", "elephant", "kangaroo"},
	{"medium_mammals", "fox", "porcupine", "possum", "raccoon", "skunk"},
	{"non-insect_invertebrates", "crab", "lobster", "snail", "spider", "worm"},
	{"people", "baby", "boy", "girl", "man", "woman"},
	{"reptiles", "crocodile", "dinosaur", "lizard", "snake", "turtle"},
	{"small_mammals", "hamster", "mouse", "rabbit", "shrew", "squirrel"},
	{"trees", "maple_tree", "oak_tree", "palm_tree", "pine_tree", "willow_tree"},
	{"vehicles_1", "bicycle", "bus", "motorcycle", "pickup_truck", "train"},
	{"vehicles_2", "lawn_mower", "rocket", "streetcar", "tank", "tractor"},
}

// Coarse100 returns CIFAR-100's 20 coarse class names in label order.
func Coarse100() []string {
	names := make([]string, len(superclasses))
	for i, c := range superclasses {
		names[i] = c[0]
	}
	return names
}

// Superclasses returns the pairs of a fine and its coarse class name of CIFAR-100, in the order of the coarse labels.
func Superclasses() [][2]string {
	var pairs [][2]string
	for _, c := range superclasses {
		for _, fine := range c[1:] {
			pairs = append(pairs, [2]string{fine, c[0]})
		}
	}
	return pairs
}

// coarseOf returns the coarse label of each fine class name.
func coarseOf() map[string]byte {
	m := make(map[string]byte, 100)
	for label, c := range superclasses {
		for _, fine := range c[1:] {
			m[fine] = byte(label)
		}
	}
	return m
}
