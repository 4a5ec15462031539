/** `toolwire completions <shell>`: the script that completes words of `toolwire`. */
import { type CliCommand, defineCommand } from "../command.ts";
import { CliError } from "../cli_error.ts";
import { scriptOf, SHELLS } from "../completions/scripts.ts";
import { EXIT } from "../exit_codes.ts";

export const completionsCommand: CliCommand = defineCommand<object, [shell: string]>({
  usage: SHELLS.join("|"),
  about:
    "Prints a script for a shell. It completes commands, options, modules, servers of hosts, and, where the target is a module or a URL, " +
    "the names of its tools and of their arguments.",
  examples: [
    ['eval "$(toolwire completions bash)"', "In ~/.bashrc; zsh in ~/.zshrc, after compinit"],
    ["toolwire completions fish > ~/.config/fish/completions/toolwire.fish", "For fish"],
    ["toolwire completions powershell | Out-String | Invoke-Expression", "In the profile of PowerShell"],
  ],
  parameters: {
    flags: {},
    positional: { kind: "tuple", parameters: [{ brief: "Shell", parse: String, placeholder: "shell" }] },
  },
  run({ terminal }, _, name) {
    const shell = SHELLS.find((one) => one === name);
    if (shell === undefined) {
      throw new CliError(EXIT.usage, `There is no script for ${JSON.stringify(name)}; shells are ${SHELLS.join(", ")}`);
    }
    terminal.write(scriptOf(shell));
    return Promise.resolve();
  },
});
