//go:build race

package internet

// raceDetector says that memory is no measure of anything.
const raceDetector = true
