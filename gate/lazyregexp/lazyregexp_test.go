package lazyregexp

import "testing"

func TestABadExpressionFailsInEveryTestOfItsPackage(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("an expression that can't be read was made")
		}
	}()
	MustCompile(`(`)
}

func TestAnExpressionIsCompiledWhenItIsFirstUsed(t *testing.T) {
	r := &Regexp{text: `a+`}
	if r.String() != `a+` || r.made != nil {
		t.Fatal("its text is asked for, and it is compiled")
	}
	if got := r.FindString("baac"); got != "aa" || r.made == nil {
		t.Errorf("found %q", got)
	}
}

func TestATextFromOutsideIsCheckedAtOnce(t *testing.T) {
	if _, err := Compile(`(`); err == nil {
		t.Error("no error")
	}
	r, err := Compile(`b`)
	if err != nil || !r.MatchString("abc") {
		t.Errorf("%v, %v", r, err)
	}
}
