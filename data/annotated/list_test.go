package annotated

import (
	"bytes"
	"slices"
	"testing"
)

// listCases are lists of images and what they become without the images 2: lines of the others stay byte for byte.
var listCases = []struct {
	what     string
	patterns []string
	files    map[string]string // besides the images
	images   []string
	lists    map[string]string // what becomes of them
	problems []string
}{
	{"VOC", nil, map[string]string{
		"VOC2007/ImageSets/Main/train.txt": "1\r\n2\r\n\r\nx.v2 \r\n", "VOC2007/ImageSets/Main/cat_val.txt": byteOrderMark + "2 -1\n1  1\nmy image  0\nx.v2 1", "VOC2007/ImageSets/Layout/2.txt": "2 1\n",
		"VOC2007/ImageSets/Main/lacks.txt": "1\n7 1\n2\n8 1\n", "VOC2007/ImageSets/2017/clips.txt": "bear\ncamel\n", "VOC2007/Annotations/9.xml": "", "VOC2007/ImageSets/Main/gone.txt": "9",
		"VOC2007/train.txt": "/home/me/VOC2007/JPEGImages/2.jpg 1,2,3,4,0\n/home/me/VOC2007/JPEGImages/1.jpg 1,2,3,4,0\n", "VOC2007/readme.txt": "1\n2\n",
	}, []string{"VOC2007/JPEGImages/1.jpg", "VOC2007/JPEGImages/2.jpg", "VOC2007/JPEGImages/my image.jpg", "VOC2007/JPEGImages/x.v2.jpg"}, map[string]string{
		"VOC2007/ImageSets/Main/train.txt": "1\r\n\r\nx.v2 \r\n", "VOC2007/ImageSets/Main/cat_val.txt": byteOrderMark + "1  1\nmy image  0\nx.v2 1", "VOC2007/ImageSets/Layout/2.txt": "",
		"VOC2007/ImageSets/Main/lacks.txt": "1\n", "VOC2007/ImageSets/Main/gone.txt": "", "VOC2007/train.txt": "/home/me/VOC2007/JPEGImages/1.jpg 1,2,3,4,0\n",
	}, []string{
		"VOC2007/Annotations/9.xml: there is no image of it",
		"VOC2007/ImageSets/Main/gone.txt: line 1: there is no image 9", "VOC2007/ImageSets/Main/lacks.txt: line 2: there is no image 7 (other lines without one: 1)",
	}},
	{"YOLO", nil, map[string]string{
		"train.txt": "./images/train/1.png\n./images/train/2.png\n/data/yolo/images/train/my one.png\n", "lists/val.txt": "../images/train/2.png\n../images/train/1.png\n./images/train/3.png\n",
		"other.txt": "else/a.png\nelse/b.png\n", "labels/train/1.txt": "", "labels/train/2.txt": "", "labels/classes.txt": "cat",
	}, []string{"images/train/1.png", "images/train/2.png", "images/train/my one.png"}, map[string]string{
		"train.txt": "./images/train/1.png\n/data/yolo/images/train/my one.png\n", "lists/val.txt": "../images/train/1.png\n",
	}, []string{"lists/val.txt: line 3: there is no image ./images/train/3.png"}},
	{"Cityscapes", nil, map[string]string{
		"train.txt": "leftImg8bit/a/1_leftImg8bit.png\tgtFine/a/1_gtFine_labelIds.png\nleftImg8bit/a/2_leftImg8bit.png\tgtFine/a/2_gtFine_labelIds.png\n",
	}, []string{"leftImg8bit/a/1_leftImg8bit.png", "leftImg8bit/a/2_leftImg8bit.png"}, map[string]string{
		"train.txt": "leftImg8bit/a/1_leftImg8bit.png\tgtFine/a/1_gtFine_labelIds.png\n",
	}, nil},
	{"a pattern", []string{"frames/*"}, map[string]string{"ImageSets/val.txt": "1\n2\n", "val.txt": "frames/2.jpg\nframes/1.jpg\n"}, []string{"frames/1.jpg", "frames/2.jpg"}, map[string]string{
		"ImageSets/val.txt": "1\n", "val.txt": "frames/1.jpg\n",
	}, nil},
}

// Lists of images are told from other texts, a line that names none is a problem, and images that are left out leave them.
func TestLists(t *testing.T) {
	for _, c := range listCases {
		for _, name := range c.images {
			c.files[name] = ""
		}
		a := listed(t, c.files, c.patterns)
		for _, name := range a.Lists() {
			var b bytes.Buffer
			err := a.WriteList(&b, name, func(image string) bool { return Stem(image) != Stem(c.images[1]) })
			if want, ok := c.lists[name]; err != nil || b.String() != want || !ok {
				t.Errorf("%s: %s is a list (want %v): %q, want %q (%v)", c.what, name, ok, b.String(), want, err)
			}
		}
		if len(a.Lists()) != len(c.lists) {
			t.Errorf("%s: lists %v", c.what, a.Lists())
		}
		var problems []string
		for _, p := range a.Loose() {
			problems = append(problems, p.Error())
		}
		if !slices.Equal(problems, c.problems) {
			t.Errorf("%s: problems %q, want %q", c.what, problems, c.problems)
		}
	}
}
