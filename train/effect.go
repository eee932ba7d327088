package train

import (
	"reflect"

	"github.com/augmix-go/augmix/internal/option"
	"github.com/augmix-go/augmix/mix"
)

// effect is what keys need to have an effect.
type effect struct {
	keys  []string
	has   bool   // the configuration has it
	needs string // keys in braces
}

// effects are those of all keys that not every configuration looks at. Weights name val-size also where nothing is validated.
func (c *Config) effects() []effect {
	spec, err := mix.ParseSpec(c.Mix)
	none := c.Val == "none" && c.ValFraction == 0
	return []effect{
		{[]string{"mixset"}, err != nil || spec.NeedsMixingSet(), "a {mix} that mixes images in, pixmix or ipmix"},
		{[]string{"lambda"}, c.JSD || c.AugMax > 0, "{jsd} or {augmax}"},
		{[]string{"views"}, c.JSD, "{jsd}"},
		{[]string{"adv-norm", "adv-eps", "adv-step", "adv-steps"}, c.Adversarial, "{adversarial}"},
		{[]string{"outlier-batch", "outlier-weight"}, c.Outliers != "", "{outliers}"},
		{[]string{"stability-noise"}, c.Stability > 0, "{stability}"},
		{[]string{"aux-weight"}, c.AuxMix != "", "{aux-mix}"},
		{[]string{"augmax-step"}, c.AugMax > 0, "{augmax}"},
		{[]string{"ant-lr", "ant-alone"}, c.ANT > 0, "{ant}"},
		{[]string{"feature-add", "feature-multiply"}, c.FeatureMix > 0, "{feature-mix}"},
		{[]string{"min-lr"}, c.Schedule == "cosine", "{schedule} cosine"},
		{[]string{"lr-gamma"}, len(c.LRMilestones) > 0, "{schedule} step with {lr-milestones}"},
		{[]string{"momentum"}, c.Optimizer == "sgd", "{optimizer} sgd"},
		{[]string{"val-split", "val-labels", "val-only", "val-without"}, !none && c.ValFraction == 0, "validation data of its own"},
	}
}

// CheckEffect returns an error that wraps [ErrConfig] where one of the keys has a value other than 0, its default too, to which nothing
// looks: the keys are those that somebody asked for. [Config.Check] allows that, as a recipe may say for all of its methods what only
// some of them look at, and an args.yaml says everything.
func (c *Config) CheckEffect(keys ...string) error {
	needs := map[string]string{}
	for _, e := range c.effects() {
		for _, key := range e.keys {
			if !e.has {
				needs[key] = e.needs
			}
		}
	}
	values := map[string]any{}
	for key, p := range c.Fields() {
		if v := reflect.ValueOf(p).Elem(); !v.IsZero() {
			values[key] = v.Interface()
		}
	}
	for _, key := range keys {
		if v, ok := values[key]; ok && needs[key] != "" {
			return option.Errorf(ErrConfig, "%v %v has no effect (it needs "+needs[key]+")", option.Key(key), v)
		}
	}
	return nil
}
