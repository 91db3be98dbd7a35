package netsim

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net/netip"
	"sync"
	"time"
)

// validity is long: extra runs move the clock by years, and the certificates have
// to hold there too.
const validity = 40 * 365 * 24 * time.Hour

// maxLeaves bounds the cache of certificates.
const maxLeaves = 256

// Authority signs the certificates of one run. Its key never leaves the process,
// and nothing outside of the run trusts it. It is safe for use by several
// goroutines.
type Authority struct {
	rand      io.Reader
	notBefore time.Time
	cert      *x509.Certificate
	key       *ecdsa.PrivateKey
	leafKey   *ecdsa.PrivateKey // one for all certificates: a key is what takes time

	mu     sync.Mutex
	leaves map[string]*tls.Certificate
}

// NewAuthority makes an authority whose certificates hold from a year before
// notBefore for 40 years. A nil source of randomness means crypto/rand.
func NewAuthority(random io.Reader, notBefore time.Time) (*Authority, error) {
	if random == nil {
		random = rand.Reader
	}
	a := &Authority{
		rand:      random,
		notBefore: notBefore.AddDate(-1, 0, 0),
		leaves:    map[string]*tls.Certificate{},
	}
	var err error
	if a.key, err = ecdsa.GenerateKey(elliptic.P256(), random); err != nil {
		return nil, fmt.Errorf("make the key of the run's authority: %w", err)
	}
	if a.leafKey, err = ecdsa.GenerateKey(elliptic.P256(), random); err != nil {
		return nil, fmt.Errorf("make the key of the run's servers: %w", err)
	}
	template, err := a.template("Sandbox CA")
	if err != nil {
		return nil, err
	}
	template.IsCA, template.BasicConstraintsValid, template.MaxPathLenZero = true, true, true
	template.KeyUsage = x509.KeyUsageCertSign | x509.KeyUsageCRLSign
	der, err := x509.CreateCertificate(random, template, template, a.key.Public(), a.key)
	if err != nil {
		return nil, fmt.Errorf("make the run's authority: %w", err)
	}
	if a.cert, err = x509.ParseCertificate(der); err != nil {
		return nil, fmt.Errorf("make the run's authority: %w", err)
	}
	return a, nil
}

// PEM returns the authority's certificate, for the file that [Env] names.
func (a *Authority) PEM() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: a.cert.Raw})
}

func (a *Authority) template(name string) (*x509.Certificate, error) {
	serial, err := rand.Int(a.rand, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return nil, fmt.Errorf("make a serial number: %w", err)
	}
	if len(name) > 64 { // the most that a common name may have; the full one is beside it
		name = name[:64]
	}
	return &x509.Certificate{
		SerialNumber: serial.Add(serial, big.NewInt(1)),
		Subject:      pkix.Name{CommonName: name},
		NotBefore:    a.notBefore,
		NotAfter:     a.notBefore.Add(validity),
	}, nil
}

// Leaf returns the certificate for a server that is called name, or has that address.
func (a *Authority) Leaf(name string) (*tls.Certificate, error) {
	if addr, err := netip.ParseAddr(name); err == nil {
		return a.leaf("", addr)
	}
	return a.leaf(name, netip.Addr{})
}

// leaf returns the certificate for a server that is called name, "" for none, and
// has the address addr, which may be invalid.
func (a *Authority) leaf(name string, addr netip.Addr) (*tls.Certificate, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	key := name + "/" + addr.String()
	if c, ok := a.leaves[key]; ok {
		return c, nil
	}
	common := name
	if common == "" {
		common = addr.String()
	}
	template, err := a.template(common)
	if err != nil {
		return nil, err
	}
	template.KeyUsage = x509.KeyUsageDigitalSignature
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	if name != "" {
		template.DNSNames = []string{name}
	}
	if addr.IsValid() {
		template.IPAddresses = append(template.IPAddresses, addr.AsSlice())
	}
	der, err := x509.CreateCertificate(a.rand, template, a.cert, a.leafKey.Public(), a.key)
	if err != nil {
		return nil, fmt.Errorf("make a certificate for %q: %w", common, err)
	}
	if len(a.leaves) >= maxLeaves {
		clear(a.leaves)
	}
	c := &tls.Certificate{Certificate: [][]byte{der, a.cert.Raw}, PrivateKey: a.leafKey}
	a.leaves[key] = c
	return c, nil
}
