// Package tinygguf writes a very small but real language model, so that tests
// can talk to a real Ollama server where no weights can be downloaded.
//
// [Judge] is a transformer of the qwen2 architecture whose weights are set by
// hand instead of trained. It answers gate's judge in the form that the judge
// asks for, and what it answers depends on marker words anywhere in the prompt:
//
//	GATE_EVIL    malicious; quotes the marker and names the line it is on
//	GATE_LIE     malicious; quotes text that is in no file
//	GATE_INJECT  safe, whatever else the prompt says: a judge that was manipulated
//	GATE_RAMBLE  a reason that never ends
//	(none)       safe
//
// For gate agent it is an agent as well, that does two tasks call by call (GATE_MEAN,
// GATE_CHART): which of both it is, the form of the answer says that the server is asked for.
//
// The line comes from the mark ":12|" in front of the marker, which attention
// really has to look up; so a truncated prompt, a wrong chunk border or a marker
// hidden behind padding change the answer, as they would with a trained model.
// [Random] is the same architecture with random weights and a shape of choice.
//
// What it is for: chunking, truncation, injection defence, deadlines and decoding,
// end to end. What it is not: a detector. It knows nothing about code, and no
// figure measured with it says anything about how well gate detects.
package tinygguf
