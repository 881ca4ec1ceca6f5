import { InvalidArgumentError, Option } from 'commander';
import type { Field } from './api/operations.ts';

/** The option of a field: `ratePerSecond` is `--rate-per-second`. */
export function toOption({ name, kind, description, values }: Field): Option {
  const flag = `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  const option = new Option(kind === 'flag' ? flag : `${flag} <${kind}>`, description);
  if (values && kind === 'text') return option.choices(values);
  if (kind === 'number') return option.argParser(readNumber);
  if (kind === 'list') return option.argParser(readList);
  return kind === 'json' ? option.argParser(readJson) : option;
}

function readNumber(text: string): number {
  const number = Number(text);
  if (text.trim() === '' || Number.isNaN(number)) throw new InvalidArgumentError('Give a number.');
  return number;
}

/** The brackets of a list may be omitted. */
function readList(text: string): unknown {
  return readJson(text.trimStart().startsWith('[') ? text : `[${text}]`);
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new InvalidArgumentError('Give JSON.');
  }
}
