package rpc

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
)

// The codes of errors, of JSON-RPC and of the Language Server Protocol.
const (
	CodeParse           = -32700
	CodeInvalidRequest  = -32600
	CodeUnknownMethod   = -32601
	CodeInvalidParams   = -32602
	CodeInternal        = -32603
	CodeNotInitialized  = -32002
	CodeFailed          = -32803 // the request is valid, and could not be done
	CodeContentModified = -32801
	CodeCancelled       = -32800
	CodeTooMany         = -32000
)

// Error is an error that the other side is told.
type Error struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// Errorf returns an error with a code.
func Errorf(code int, format string, args ...any) *Error {
	return &Error{code, fmt.Sprintf(format, args...)}
}

// Error implements error.
func (e *Error) Error() string { return e.Message }

// message is what is sent in either direction: a request (ID and Method), a notification
// (Method) or a response (ID).
type message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *Error          `json:"error,omitempty"`
}

// maxID bounds the identifier of a request, in bytes.
const maxID = 256

// decode reads one message. The error says what is wrong with it; what is known of its
// identifier is returned with it, so that it can be answered.
func decode(data []byte) (m message, bad *Error) {
	if !json.Valid(data) {
		return message{}, Errorf(CodeParse, "the message is no JSON")
	}
	if err := json.Unmarshal(data, &m); err != nil {
		return message{ID: id(m.ID)}, Errorf(CodeInvalidRequest, "the message is not of the form of JSON-RPC: %v", err)
	}
	known := id(m.ID)
	if m.Method == "" && known == nil && (m.Error != nil || m.Result != nil) {
		return message{}, nil //nolint:nilerr // an answer to something that the other side could not read
	}
	switch {
	case m.Version != "2.0":
		return message{ID: known}, Errorf(CodeInvalidRequest, "the message is not of JSON-RPC 2.0")
	case m.ID != nil && known == nil:
		return message{}, Errorf(CodeInvalidRequest, "the identifier of a request is a string or a whole number")
	case m.Method == "" && known == nil:
		return message{}, Errorf(CodeInvalidRequest, "the message has no method")
	case len(m.Params) > 0 && m.Params[0] != '{' && m.Params[0] != '[' && string(m.Params) != "null":
		return message{ID: known, Method: m.Method}, Errorf(CodeInvalidRequest, "params is an object or a list")
	}
	m.ID = known
	return m, nil
}

// id returns an identifier in the one form in which it is compared, nil for none.
func id(raw json.RawMessage) json.RawMessage {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || len(raw) > maxID {
		return nil
	}
	if n, err := strconv.ParseInt(string(raw), 10, 64); err == nil {
		return strconv.AppendInt(nil, n, 10)
	}
	var s string
	if raw[0] != '"' || json.Unmarshal(raw, &s) != nil {
		return nil
	}
	out, err := json.Marshal(s)
	if err != nil {
		return nil
	}
	return out
}

// Params reads the parameters of a method.
func Params[T any](raw json.RawMessage) (T, error) {
	var v T
	if len(raw) == 0 {
		return v, Errorf(CodeInvalidParams, "the method needs parameters")
	}
	if err := json.Unmarshal(raw, &v); err != nil {
		return v, Errorf(CodeInvalidParams, "the parameters are not of the form that the method has: %v", err)
	}
	return v, nil
}

// asError is an error as it is told.
func asError(err error) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	return &Error{CodeInternal, err.Error()}
}
