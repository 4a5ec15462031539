/** Scripts that complete the words of `toolwire` in a shell. All of them ask `toolwire __complete -- <words>`. */

/** Shells for which `toolwire completions` has a script. */
export const SHELLS = ["bash", "zsh", "fish", "powershell"] as const;

/** Name of a shell of {@link SHELLS}. */
export type Shell = typeof SHELLS[number];

const bash = `# toolwire completions for bash: eval "$(toolwire completions bash)"
_toolwire() {
  local line="\${COMP_LINE:0:COMP_POINT}" words=() value rest
  read -ra words <<< "$line"
  [[ "$line" == *[[:space:]] ]] && words+=("")
  local current="\${words[\${#words[@]}-1]}" prefix=""
  # Bash replaces the part after the last colon or equals sign.
  local breaks="\${COMP_WORDBREAKS//[^:=]/}"
  [[ -n "$breaks" && "$current" == *[$breaks]* ]] && prefix="\${current%"\${current##*[$breaks]}"}"
  COMPREPLY=()
  while IFS=$'\\t' read -r value rest; do
    COMPREPLY+=("\${value#"$prefix"}")
  done < <("\${words[0]/#\\~/$HOME}" __complete -- "\${words[@]:1}" 2>/dev/null)
  [[ \${#COMPREPLY[@]} == 1 && "\${COMPREPLY[0]}" == *[/=] ]] && compopt -o nospace 2>/dev/null
  return 0
}
complete -o bashdefault -o default -F _toolwire toolwire
`;

const zsh = `#compdef toolwire
# toolwire completions for zsh: eval "$(toolwire completions zsh)", after compinit
_toolwire() {
  local line value
  local -a closed open shown
  for line in "\${(@f)$("\${(Q)words[1]}" __complete -- "\${(@Q)words[2,CURRENT]}" 2>/dev/null)}"; do
    value="\${line%%$'\\t'*}"
    [[ -z "$value" ]] && continue
    if [[ "$value" == *[/=] ]]; then
      open+=("$value")
    else
      closed+=("$value")
      shown+=("\${line//$'\\t'/  }")
    fi
  done
  (( \${#open} )) && compadd -S '' -- "\${open[@]}"
  (( \${#closed} )) && compadd -l -d shown -- "\${closed[@]}"
  (( \${#open} + \${#closed} )) || _files
}
compdef _toolwire toolwire
`;

const fish = `# toolwire completions for fish: toolwire completions fish | source
function __toolwire_complete
  set -l words (commandline -opc)
  set -l current (commandline -ct)
  $words[1] __complete -- $words[2..-1] "$current" 2>/dev/null
end
complete -c toolwire -a '(__toolwire_complete)'
`;

const powershell =
  `# toolwire completions for PowerShell: toolwire completions powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName toolwire -ScriptBlock {
  param($current, $command, $position)
  $words = @($command.CommandElements | Select-Object -Skip 1 | ForEach-Object { $_.Extent.Text })
  # PowerShell before 7.3 leaves out arguments that are empty.
  $next = if ($current -eq '') { @('--next') } else { @() }
  toolwire __complete @next '--' @words 2>$null | ForEach-Object {
    $value, $about = $_ -split "\`t", 2
    if (-not $about) { $about = $value }
    [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $about)
  }
}
`;

const SCRIPTS: Readonly<Record<Shell, string>> = { bash, zsh, fish, powershell };

/** Returns the script that a user evaluates in the shell, so that it completes words of `toolwire`. */
export function scriptOf(shell: Shell): string {
  return SCRIPTS[shell];
}
