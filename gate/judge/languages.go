package judge

import regexp "github.com/aigate/gate/gate/lazyregexp"

// foreign is addressed in other languages that models read well: a reviewer, what he is
// to ignore, and that all is safe. Accents are left out.
var foreign = regexp.MustCompile(`(?i)` +
	// German
	`\b(pru?e?fer|gutachter|ignorier\w+|ueberpruft|uberpruft|(ist|sind|als) (\w+ ){0,2}(sicher|harmlos|unbedenklich|geprueft|gepruft))\b` +
	// French
	`|\b(relecteurs?|reviseurs?|ignore[zr] (les|toutes|ces)|(est|sont|comme) (\w+ ){0,2}(surs?|inoffensifs?|fiables?))\b` +
	// Spanish, Portuguese, Italian
	`|\b(revisor(es)?|auditores|ignor[ae]r? (las?|los?|todas|todos|as|os|le|tutte)|(es|son|esta|estan|como|e|sao|sono) (\w+ ){0,2}(segur[oa]s?|inofensiv[oa]s?|sicur[oaie]|innocu[oaie]))\b` +
	`|рецензент|ревьюер|проверяющ|игнориру|безопасн|безвред` +
	`|审查|评审|审核|審查|忽略(之前|上述|以上|前面|所有)|是安全的|无害|無害` +
	`|レビュ(ー|ア)|無視して|安全です` +
	`|검토자|리뷰어|무시하|안전합니다|안전한 코드`)

// foreignHints are what a text in ASCII has one of before it is worth a look at foreign.
var foreignHints = []string{
	"ruefer", "utachter", "gnorier", "sicher", "harmlos", "unbedenklich", "eprueft", "electeur", "gnorez", "noffensif", "fiable",
	"evisor", "uditores", "gnorar", "gnora ", "segur", "nofensiv", "sicur", "nnocu",
}
