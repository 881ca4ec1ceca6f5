import { type Html, html } from '../html.ts';

const perLine = 16;

/** A hex dump: offset, hexadecimal codes, and the printable ASCII characters. */
export function hexLines(bytes: Buffer): Html[] {
  return Array.from({ length: Math.ceil(bytes.length / perLine) }, (_, line) => {
    const offset = line * perLine;
    const row = [...bytes.subarray(offset, offset + perLine)];
    const codes = row.map((byte) => byte.toString(16).padStart(2, '0'));
    const hex = `${codes.slice(0, 8).join(' ')}  ${codes.slice(8).join(' ')}`.padEnd(49);
    const text = row.map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '.')).join('');
    return html`<span class="dim">${offset.toString(16).padStart(6, '0')}</span>  ${hex} <span class="dim">${text}</span>\n`;
  });
}
