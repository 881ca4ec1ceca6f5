/** The exit codes of the command line, with what each says; docs/command-line.md lists them. */
export const exitCodes = {
  done: [0, 'The command is done.'],
  failed: [1, 'The deployment rejected the request, or failed.'],
  usage: [2, 'The command line or the configuration file is wrong. Nothing was sent.'],
  unreachable: [3, 'The deployment cannot be reached, or does not admit you.'],
  partial: [4, 'Partly done: events failed, were skipped or wait, or lines were rejected.'],
  interrupted: [130, 'You answered no, or pressed Ctrl-C.'],
} as const satisfies Record<string, readonly [code: number, meaning: string]>;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes][0];

export const codeOf = (name: keyof typeof exitCodes): ExitCode => exitCodes[name][0];
