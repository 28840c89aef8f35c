import { escapeHtml } from "./escape-html.ts";

/**
 * Highlights comments, strings, numbers and keywords with rules simple enough for the examples in the documentation.
 * Text that matches no rule stays as it is.
 */
export function colouredCode(code: string, language: string): string {
  const { comment, string, words } = languages[language] ?? {};
  if (string === undefined) return escapeHtml(code);
  const parts = [comment, string, "\\b\\d[\\w.]*\\b", words && `\\b(?:${words})\\b`];
  const names = ["comment", "string", "number", "word"];
  const rule = new RegExp(parts.map((part) => `(${part ?? "(?!)"})`).join("|"), "gm");
  let coloured = "";
  let end = 0;
  for (const match of code.matchAll(rule)) {
    const kind = match.slice(1).findIndex((part) => part !== undefined);
    coloured += `${escapeHtml(code.slice(end, match.index))}<span class="c-${names[kind]}">${escapeHtml(match[0])}</span>`;
    end = match.index + match[0].length;
  }
  return coloured + escapeHtml(code.slice(end));
}

type Language = { comment?: string; string: string; words?: string };
const quoted = `"(?:[^"\\\\\\n]|\\\\.)*"|'(?:[^'\\\\\\n]|\\\\.)*'`;
const slashes = "\\/\\/[^\\n]*|\\/\\*[\\s\\S]*?\\*\\/";
const hash = "(?:^|(?<=\\s))#[^\\n]*";
const javascript: Language = {
  comment: slashes,
  string: `${quoted}|\`(?:[^\`\\\\]|\\\\.)*\``,
  words: "import|from|export|const|let|function|return|if|else|for|of|async|await|new|throw|try|catch|true|false|null",
};
const languages: Record<string, Language> = {
  js: javascript,
  ts: javascript,
  javascript,
  json: { string: `"(?:[^"\\\\\\n]|\\\\.)*"`, words: "true|false|null" },
  sh: { comment: hash, string: `"(?:[^"\\\\]|\\\\.)*"|'[^']*'`, words: "if|then|else|fi|for|do|done|while|case|esac" },
  python: {
    comment: hash,
    string: `"""[\\s\\S]*?"""|[bfr]?(?:${quoted})`,
    words:
      "import|from|def|return|if|elif|else|for|in|not|and|or|with|as|class|raise|try|except|True|False|None|lambda",
  },
  ruby: {
    comment: hash,
    string: quoted,
    words: "require|def|end|return|if|unless|else|do|module|class|and|or|not|nil|true|false",
  },
  php: {
    comment: slashes,
    string: quoted,
    words: "function|return|if|else|foreach|as|declare|true|false|null|string|int|bool|array|use|namespace|const",
  },
  go: {
    comment: slashes,
    string: `${quoted}|\`[^\`]*\``,
    words: "package|import|func|return|if|else|for|range|var|const|type|struct|true|false|nil|string|int64|bool|byte",
  },
  java: {
    comment: slashes,
    string: quoted,
    words:
      "package|import|public|private|static|final|class|record|return|if|else|for|new|throws|throw|try|catch|boolean|byte|int|long|void|true|false|null|String",
  },
  sql: {
    comment: "--[^\\n]*",
    string: `'(?:[^'])*'`,
    words: "select|from|where|create|role|database|owner|alter|grant|and|or|order|by|login|password",
  },
  ini: { comment: "^[#;][^\\n]*", string: `"[^"\\n]*"`, words: undefined as never },
  dockerfile: {
    comment: "^#[^\\n]*",
    string: quoted,
    words: "FROM|AS|RUN|COPY|WORKDIR|ENV|USER|EXPOSE|VOLUME|ENTRYPOINT|CMD|HEALTHCHECK",
  },
  nginx: { comment: hash, string: quoted, words: "server|location|listen|proxy_pass|upstream" },
  xml: { comment: "<!--[\\s\\S]*?-->", string: `"[^"\\n]*"` },
};
