/** What the user can type after a command path, and the values each option takes. */
export type CompletedPlace = {
  /** "", "orders" or "orders list". */
  path: string;
  /** Subcommands, or common values of the argument. */
  words: readonly CompletedWord[];
  options: readonly CompletedOption[];
};
export type CompletedWord = { word: string; meaning: string };
export type CompletedOption = {
  flag: string;
  meaning: string;
  takes: "nothing" | "one" | "many";
  choices: readonly string[];
};

/** Works in bash 3.2, the version macOS ships: no associative arrays, no `mapfile`. */
export const bashCompletion = (places: readonly CompletedPlace[]): string => `# pestle completion bash
_pestle_at() {
  case "$1" in
${cases(places, ({ path, words, options }) => [
  path,
  lines([...words.map(({ word }) => word), ...options.map(({ flag }) => flag)]),
])}
  esac
}
${optionFunctions(places)}
_pestle() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" at="" first=1 option="" i word
  COMPREPLY=()
  if [ "$COMP_CWORD" -gt 1 ]; then at="\${COMP_WORDS[1]}"; first=2; fi
  case "$at" in
  ${groupNames(places).join("|")}) if [ "$COMP_CWORD" -gt 2 ] && [ -n "$(_pestle_at "$at \${COMP_WORDS[2]}")" ]; then at="$at \${COMP_WORDS[2]}"; first=3; fi ;;
  esac
  for ((i = COMP_CWORD - 1; i >= first; i--)); do
    case "\${COMP_WORDS[i]}" in
    -*) if [ "$i" -eq $((COMP_CWORD - 1)) ] || _pestle_many "$at \${COMP_WORDS[i]}"; then option="\${COMP_WORDS[i]}"; fi; break ;;
    esac
  done
  case "$cur" in -*) option="" ;; esac
  while IFS= read -r word; do
    case "$word" in
    -*) case "$cur" in -*) ;; *) continue ;; esac ;;
    esac
    case "$word" in "") ;; "$cur"*) COMPREPLY+=("$(printf %q "$word")") ;; esac
  done < <(if [ -n "$option" ]; then _pestle_values "$at $option" || _pestle_at "$at"; else _pestle_at "$at"; fi)
}
complete -o default -F _pestle pestle
# \`npx pestle …\` too. Other words after npx complete as before.
_pestle_npx() {
  local i=1
  while [ "$i" -lt "$COMP_CWORD" ]; do
    case "\${COMP_WORDS[i]}" in -*) i=$((i + 1)) ;; *) break ;; esac
  done
  if [ "$i" -lt "$COMP_CWORD" ] && [ "\${COMP_WORDS[i]}" = pestle ]; then
    COMP_WORDS=("\${COMP_WORDS[@]:i}")
    COMP_CWORD=$((COMP_CWORD - i))
    _pestle
  elif [ -n "$_pestle_npx_before" ]; then
    "$_pestle_npx_before" "$@"
  else
    COMPREPLY=()
    case "$i:pestle" in "$COMP_CWORD:\${COMP_WORDS[COMP_CWORD]}"*) COMPREPLY=(pestle) ;; esac
  fi
}
_pestle_npx_before=$(complete -p npx 2> /dev/null | sed -n 's/.* -F \\([^ ]*\\) .*/\\1/p')
if [ "$_pestle_npx_before" = _pestle_npx ]; then _pestle_npx_before=""; fi
complete -o default -F _pestle_npx npx
`;

export const zshCompletion = (places: readonly CompletedPlace[]): string => `#compdef pestle
_pestle_at() {
  case "$1" in
${cases(places, ({ path, words, options }) => [
  path,
  described([
    ...words.map(({ word, meaning }) => ({ word, meaning })),
    ...options.map(({ flag, meaning }) => ({ word: flag, meaning })),
  ]),
])}
  esac
}
${optionFunctions(places)}
_pestle() {
  local at="" option="" i first=2
  local -a found
  if (( CURRENT > 2 )); then at="\${words[2]}"; first=3; fi
  case "$at" in
  ${groupNames(places).join("|")}) if (( CURRENT > 3 )) && [[ -n "$(_pestle_at "$at \${words[3]}")" ]]; then at="$at \${words[3]}"; first=4; fi ;;
  esac
  for (( i = CURRENT - 1; i >= first; i-- )); do
    if [[ "\${words[i]}" == -* ]]; then
      if (( i == CURRENT - 1 )) || _pestle_many "$at \${words[i]}"; then option="\${words[i]}"; fi
      break
    fi
  done
  if [[ -n "$option" && "\${words[CURRENT]}" != -* ]] && found=("\${(@f)$(_pestle_values "$at $option")}"); then
    if [[ -n "\${found[1]}" ]]; then compadd -a found; else _files; fi
    return
  fi
  found=("\${(@f)$(_pestle_at "$at")}")
  if [[ "\${words[CURRENT]}" != -* ]]; then found=("\${(@)found:#-*}"); fi
  if [[ -n "\${found[1]}" ]]; then _describe pestle found; else _files; fi
}
_pestle_npx() {
  local i=2
  while (( i < CURRENT )) && [[ "\${words[i]}" == -* ]]; do (( i++ )); done
  if (( i < CURRENT )) && [[ "\${words[i]}" == pestle ]]; then
    words=("\${(@)words[i,-1]}")
    (( CURRENT -= i - 1 ))
    _pestle
  elif [[ -n "$_pestle_npx_before" ]]; then
    "$_pestle_npx_before" "$@"
  else
    compadd pestle; _files
  fi
}
if [ "$funcstack[1]" = "_pestle" ]; then
  _pestle "$@"
else
  compdef _pestle pestle
  [[ "\${_comps[npx]}" == _pestle_npx ]] || _pestle_npx_before="\${_comps[npx]}"
  compdef _pestle_npx npx
fi
`;

export const fishCompletion = (places: readonly CompletedPlace[]): string =>
  [
    "# pestle completion fish",
    "function __pestle_at",
    "  set -l typed (commandline -opc)",
    "  set -e typed[1]",
    "  set -l wanted (string split ' ' -- $argv[1])",
    '  test "$argv[1]" = ""; and begin; test (count $typed) -eq 0; return; end',
    "  set -l depth (count $wanted)",
    "  test (count $typed) -ge $depth; or return 1",
    '  test "$typed[1..$depth]" = "$wanted"; or return 1',
    `  contains -- "$argv[1]" ${groupNames(places).join(" ")}; or return 0`,
    "  test (count $typed) -eq $depth",
    "end",
    ...places.flatMap(({ path, words, options }) => {
      const here = `complete -c pestle -n ${quoted(`__pestle_at ${quoted(path)}`)}`;
      return [
        // Offer file names where there are no words to offer.
        ...(words.length === 0 ? [] : [`${here} -f`]),
        ...words.map(({ word, meaning }) => `${here} -a ${quoted(word)} -d ${quoted(meaning)}`),
        ...options.map(({ flag, meaning, takes, choices }) => {
          const value =
            takes === "nothing"
              ? ""
              : choices.length === 0
                ? " -r -F"
                : ` -x -a ${quoted(choices.map((choice) => quoted(choice)).join(" "))}`;
          return `${here} -l ${flag.slice(2)}${value} -d ${quoted(meaning)}`;
        }),
      ];
    }),
    "complete -c npx -n 'test (count (commandline -opc)) -eq 1' -a pestle -d 'Pestle'",
    // The words after npx complete as if npx were not there.
    "complete -c npx -n 'test (count (commandline -opc)) -ge 2; and test (commandline -opc)[2] = pestle' -f " +
      '-a \'(complete -C (string replace -r "^\\s*npx\\s+" "" -- (commandline -cp)))\'',
    "",
  ].join("\n");

const cases = (places: readonly CompletedPlace[], of: (place: CompletedPlace) => readonly [string, string]): string =>
  places
    .map(of)
    .map(([key, work]) => `  ${quoted(key)}) ${work} ;;`)
    .join("\n");

/** One shell `case` branch per option that takes a value. */
const optionCases = (
  places: readonly CompletedPlace[],
  takes: "one" | "many",
  work: (choices: readonly string[]) => string,
): string =>
  places
    .flatMap(({ path, options }) =>
      options
        .filter((option) => option.takes === takes)
        .map(({ flag, choices }) => `  ${quoted(`${path} ${flag}`)}) ${work(choices)} ;;`),
    )
    .join("\n");

/** The values an option takes, and whether it takes several. bash and zsh share these functions. */
const optionFunctions = (places: readonly CompletedPlace[]): string => `_pestle_values() {
  case "$1" in
${optionCases(places, "one", (choices) => lines(choices))}
${optionCases(places, "many", (choices) => lines(choices))}
  *) return 1 ;;
  esac
}
_pestle_many() {
  case "$1" in
${optionCases(places, "many", () => "return 0")}
  esac
  return 1
}`;

const groupNames = (places: readonly CompletedPlace[]): string[] => [
  ...new Set(
    places.map(({ path }) => path.split(" ")).flatMap(([group = "", verb]) => (verb === undefined ? [] : [group])),
  ),
];

const lines = (words: readonly string[]) =>
  words.length === 0 ? "echo" : `printf '%s\\n' ${words.map(quoted).join(" ")}`;
/** zsh expects `word:description`. */
const described = (words: readonly { word: string; meaning: string }[]) =>
  lines(words.map(({ word, meaning }) => (meaning === "" ? word : `${word}:${meaning.replaceAll(":", ",")}`)));
/** Single-quoted, which bash, zsh and fish all read literally. */
const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
