//go:build !race

package internet

const raceDetector = false
