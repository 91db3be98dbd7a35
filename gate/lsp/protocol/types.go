package protocol

import "encoding/json"

// Position is a place in a text: a line and a character of it, in code units of UTF-16,
// both from 0.
type Position struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

// Range is a part of a text; End is behind it.
type Range struct {
	Start Position `json:"start"`
	End   Position `json:"end"`
}

// InitializeParams are what a client says of itself.
type InitializeParams struct {
	ClientInfo       struct{ Name string } `json:"clientInfo"`
	RootURI          string                `json:"rootUri"`
	WorkspaceFolders []WorkspaceFolder     `json:"workspaceFolders"`
	Capabilities     Capabilities          `json:"capabilities"`
	Options          Options               `json:"initializationOptions"`
}

// WorkspaceFolder is a folder that the user has opened.
type WorkspaceFolder struct {
	URI  string `json:"uri"`
	Name string `json:"name"`
}

// Options are what a client can say to gate alone.
type Options struct {
	// AskReason says that the client has the command gate.askReason, which asks the user for
	// a reason and then runs gate.accept.
	AskReason bool `json:"askReason"`
	// Account is the user's name on GitHub, for dismissals.
	Account string `json:"account"`
}

// Capabilities are what a client can do.
type Capabilities struct {
	Workspace struct {
		ApplyEdit     bool `json:"applyEdit"`
		WorkspaceEdit struct {
			DocumentChanges    bool     `json:"documentChanges"`
			ResourceOperations []string `json:"resourceOperations"`
		} `json:"workspaceEdit"`
	} `json:"workspace"`
	TextDocument struct {
		Hover struct {
			ContentFormat []string `json:"contentFormat"`
		} `json:"hover"`
		PublishDiagnostics struct {
			RelatedInformation bool `json:"relatedInformation"`
			VersionSupport     bool `json:"versionSupport"`
		} `json:"publishDiagnostics"`
	} `json:"textDocument"`
	Window struct {
		WorkDoneProgress bool `json:"workDoneProgress"`
	} `json:"window"`
}

// InitializeResult is what the server says of itself.
type InitializeResult struct {
	Capabilities ServerCapabilities `json:"capabilities"`
	ServerInfo   ServerInfo         `json:"serverInfo"`
}

// ServerInfo names the server.
type ServerInfo struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// ServerCapabilities are what gate can do.
type ServerCapabilities struct {
	PositionEncoding   string             `json:"positionEncoding"`
	TextDocumentSync   SyncOptions        `json:"textDocumentSync"`
	HoverProvider      bool               `json:"hoverProvider"`
	CodeActionProvider CodeActionOptions  `json:"codeActionProvider"`
	ExecuteCommand     ExecuteOptions     `json:"executeCommandProvider"`
	Workspace          WorkspaceSupported `json:"workspace"`
}

// SyncOptions say how a client tells of its texts.
type SyncOptions struct {
	OpenClose bool        `json:"openClose"`
	Change    int         `json:"change"` // 2 is incremental
	Save      SaveOptions `json:"save"`
}

// SaveOptions say that a text is sent when it is saved.
type SaveOptions struct {
	IncludeText bool `json:"includeText"`
}

// CodeActionOptions name the kinds of actions.
type CodeActionOptions struct {
	Kinds []string `json:"codeActionKinds"`
}

// ExecuteOptions name the commands.
type ExecuteOptions struct {
	Commands []string `json:"commands"`
}

// WorkspaceSupported says that there may be several folders.
type WorkspaceSupported struct {
	Folders struct {
		Supported           bool `json:"supported"`
		ChangeNotifications bool `json:"changeNotifications"`
	} `json:"workspaceFolders"`
}

// FoldersChanged is what changed in the folders that the user has opened.
type FoldersChanged struct {
	Event struct {
		Added   []WorkspaceFolder `json:"added"`
		Removed []WorkspaceFolder `json:"removed"`
	} `json:"event"`
}

// TextDocument names a text, and its version where that is known.
type TextDocument struct {
	URI     string `json:"uri"`
	Version *int   `json:"version,omitempty"`
}

// Opened is a text that a client has opened.
type Opened struct {
	TextDocument struct {
		URI     string `json:"uri"`
		Version int    `json:"version"`
		Text    string `json:"text"`
	} `json:"textDocument"`
}

// Changed is what changed in a text.
type Changed struct {
	TextDocument TextDocument `json:"textDocument"`
	Changes      []Change     `json:"contentChanges"`
}

// Change is one change of a text; without a range it is all of it.
type Change struct {
	Range *Range `json:"range"`
	Text  string `json:"text"`
}

// Saved is a text that was saved; Text is nil where the client doesn't send it.
type Saved struct {
	TextDocument TextDocument `json:"textDocument"`
	Text         *string      `json:"text"`
}

// Closed is a text that a client has closed.
type Closed struct {
	TextDocument TextDocument `json:"textDocument"`
}

// Diagnostics are those of a text. They take the place of earlier ones.
type Diagnostics struct {
	URI         string       `json:"uri"`
	Version     *int         `json:"version,omitempty"`
	Diagnostics []Diagnostic `json:"diagnostics"`
}

// The severities of diagnostics.
const (
	SeverityError = 1 + iota
	SeverityWarning
	SeverityInformation
	SeverityHint
)

// Diagnostic is one thing that is said about a part of a text.
type Diagnostic struct {
	Range    Range     `json:"range"`
	Severity int       `json:"severity"`
	Code     string    `json:"code,omitempty"`
	Source   string    `json:"source"`
	Message  string    `json:"message"`
	Related  []Related `json:"relatedInformation,omitempty"`
}

// Related is another place that a diagnostic is about.
type Related struct {
	Location Location `json:"location"`
	Message  string   `json:"message"`
}

// Location is a part of a text.
type Location struct {
	URI   string `json:"uri"`
	Range Range  `json:"range"`
}

// HoverParams ask what is known about a place.
type HoverParams struct {
	TextDocument TextDocument `json:"textDocument"`
	Position     Position     `json:"position"`
}

// Hover is what is known about a place.
type Hover struct {
	Contents Markup `json:"contents"`
	Range    Range  `json:"range"`
}

// Markup is a text for people; Kind is markdown or plaintext.
type Markup struct {
	Kind  string `json:"kind"`
	Value string `json:"value"`
}

// CodeActionParams ask what can be done about a part of a text.
type CodeActionParams struct {
	TextDocument TextDocument `json:"textDocument"`
	Range        Range        `json:"range"`
	Context      struct {
		Only []string `json:"only"`
	} `json:"context"`
}

// The kinds of actions.
const (
	KindQuickFix = "quickfix"
	KindRun      = "source.gate.run"
)

// CodeAction is something that can be done, when the user chooses it.
type CodeAction struct {
	Title       string         `json:"title"`
	Kind        string         `json:"kind"`
	Diagnostics []Diagnostic   `json:"diagnostics,omitempty"`
	Preferred   bool           `json:"isPreferred,omitempty"`
	Edit        *WorkspaceEdit `json:"edit,omitempty"`
	Command     *Command       `json:"command,omitempty"`
}

// Command is a command with its arguments.
type Command struct {
	Title     string `json:"title"`
	Command   string `json:"command"`
	Arguments []any  `json:"arguments,omitempty"`
}

// ExecuteParams ask for a command.
type ExecuteParams struct {
	Command   string            `json:"command"`
	Arguments []json.RawMessage `json:"arguments"`
}

// WorkspaceEdit changes texts. One of the two members is set.
type WorkspaceEdit struct {
	Changes         map[string][]TextEdit `json:"changes,omitempty"`
	DocumentChanges []any                 `json:"documentChanges,omitempty"` // DocumentEdit and CreateFile
}

// DocumentEdit changes a version of a text.
type DocumentEdit struct {
	TextDocument struct {
		URI     string `json:"uri"`
		Version *int   `json:"version"` // null is the file as it is
	} `json:"textDocument"`
	Edits []TextEdit `json:"edits"`
}

// CreateFile makes an empty file. Kind is "create".
type CreateFile struct {
	Kind    string `json:"kind"`
	URI     string `json:"uri"`
	Options struct {
		IgnoreIfExists bool `json:"ignoreIfExists"`
	} `json:"options"`
}

// TextEdit puts a text in the place of a part.
type TextEdit struct {
	Range   Range  `json:"range"`
	NewText string `json:"newText"`
}

// ApplyEdit asks a client to change texts.
type ApplyEdit struct {
	Label string        `json:"label"`
	Edit  WorkspaceEdit `json:"edit"`
}

// Applied is the answer.
type Applied struct {
	Applied bool   `json:"applied"`
	Reason  string `json:"failureReason"`
}

// Message is a message for the user. Type is a severity of diagnostics; 4 is for the log.
type Message struct {
	Type    int    `json:"type"`
	Message string `json:"message"`
}

// ProgressToken names something that goes on.
type ProgressToken struct {
	Token string `json:"token"`
}

// Progress says how far something is.
type Progress struct {
	Token string   `json:"token"`
	Value WorkDone `json:"value"`
}

// WorkDone is a step; Kind is begin, report or end.
type WorkDone struct {
	Kind        string `json:"kind"`
	Title       string `json:"title,omitempty"`
	Cancellable bool   `json:"cancellable,omitempty"`
	Message     string `json:"message,omitempty"`
}
