// Package javaclass reads what a compiled class of Java names: the classes that it
// uses, and the texts in it.
//
// It promises to take any bytes, with work bounded by their length.
//
// It doesn't read the bytecode: what a class does with what it names it can't say. A
// class that names nothing that reaches files, programs, networks or other code can
// do no more than compute.
package javaclass

import (
	"encoding/binary"
	"errors"
	"strings"
)

// Class is what was read of one class.
type Class struct {
	Names []string // of classes, with slashes
	Texts []string // all texts, of which the names are some
}

// magic begins every class.
const magic = 0xcafebabe

// Kinds of constants, as The Java Virtual Machine Specification numbers them.
const (
	kindText   = 1
	kindLong   = 5
	kindDouble = 6
	kindClass  = 7
)

// sizes are how many bytes follow the kind of a constant, besides that of a text.
func sizes(kind byte) (int, bool) {
	switch kind {
	case kindClass, 8, 16, 19, 20:
		return 2, true
	case 15:
		return 3, true
	case 3, 4, 9, 10, 11, 12, 17, 18:
		return 4, true
	case kindLong, kindDouble:
		return 8, true
	}
	return 0, false
}

var errCut = errors.New("the class is cut short, or has a constant of an unknown kind")

// Read reads the constants of a class.
func Read(data []byte) (Class, error) {
	var c Class
	if len(data) < 10 || binary.BigEndian.Uint32(data) != magic {
		return c, errors.New("not a class")
	}
	count, rest := int(binary.BigEndian.Uint16(data[8:])), data[10:]
	texts, classes := map[int]string{}, []int(nil)
	for i := 1; i < count; i++ {
		if len(rest) < 3 {
			return c, errCut
		}
		kind := rest[0]
		size, ok := sizes(kind)
		if kind == kindText {
			size, ok = 2+int(binary.BigEndian.Uint16(rest[1:])), true
		}
		if !ok || len(rest) < 1+size {
			return c, errCut
		}
		switch kind {
		case kindText:
			texts[i] = string(rest[3 : 1+size])
			c.Texts = append(c.Texts, texts[i])
		case kindClass:
			classes = append(classes, int(binary.BigEndian.Uint16(rest[1:])))
		case kindLong, kindDouble:
			i++ // takes two numbers
		}
		rest = rest[1+size:]
	}
	for _, i := range classes {
		c.Names = append(c.Names, texts[i])
	}
	return c, nil
}

// Computes reports whether all that the class uses of Java's own library only
// computes. What it uses of others has to be there, and is looked at itself.
func (c Class) Computes() bool {
	for _, t := range c.Texts {
		t = strings.ReplaceAll(t, ".", "/")
		for _, reaching := range [...]string{
			"java/lang/Runtime", "java/lang/Process", "java/lang/ClassLoader", "java/lang/reflect", "java/lang/invoke/MethodHandles",
			"java/lang/Module", "java/lang/Thread", "java/lang/instrument", "java/net", "java/nio/file", "java/nio/channels", "java/io/File", "java/io/RandomAccess",
			"java/io/Object", "java/rmi", "java/sql", "java/util/jar", "java/util/zip", "java/util/Base64", "java/util/ServiceLoader", "java/util/prefs",
			"javax/", "sun/", "jdk/", "com/sun", "forName", "getMethod", "newInstance", "loadLibrary", "defineClass", "getenv", "Code/native",
		} {
			if strings.Contains(t, reaching) {
				return false
			}
		}
	}
	return true
}
