package canary

import "io"

// skipGzipHeader reads up to the compressed data. Names and comments may be of
// any length here, which costs nothing, while compress/gzip refuses long ones.
func skipGzipHeader(r io.ByteReader) error {
	var head [10]byte
	for i := range head {
		b, err := r.ReadByte()
		if err != nil {
			return err
		}
		head[i] = b
	}
	const hasCRC, hasExtra, hasName, hasComment = 2, 4, 8, 16
	skip := 0
	if head[3]&hasExtra != 0 {
		low, err := r.ReadByte()
		if err != nil {
			return err
		}
		high, err := r.ReadByte()
		if err != nil {
			return err
		}
		skip = int(high)<<8 | int(low)
	}
	for ; skip > 0; skip-- {
		if _, err := r.ReadByte(); err != nil {
			return err
		}
	}
	for _, flag := range []byte{hasName, hasComment} {
		for head[3]&flag != 0 {
			b, err := r.ReadByte()
			if err != nil {
				return err
			}
			if b == 0 {
				break
			}
		}
	}
	if head[3]&hasCRC != 0 {
		for range 2 {
			if _, err := r.ReadByte(); err != nil {
				return err
			}
		}
	}
	return nil
}
