package recipe_test

import (
	"fmt"

	"github.com/augmix-go/augmix/recipe"
)

func ExampleRead() {
	r, err := recipe.Read("cifar10-wrn-40-2")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.About)
	fmt.Println(r.Run.Methods, r.Run.Suites)
	c, err := r.Method("augmix")
	fmt.Println(c.Model, c.Mix, c.JSD, c.Epochs, err)
	// Output:
	// AugMix, table 1 (CIFAR-10-C), row WideResNet
	// [standard cutout mixup cutmix autoaugment-star adversarial augmix] [clean calibration c p]
	// wrn-40-2 augmix-m3-w3-d-1 true 100 <nil>
}
