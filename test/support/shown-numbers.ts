/** The number of a page as text, such as `12,480`; fails for what is no number. */
function toNumber(text: string | undefined): number {
  if (text === undefined || !/^[\d,]+$/.test(text)) throw new Error(`Not a number: ${text}`);
  return Number(text.replaceAll(',', ''));
}

const withoutTags = (html: string) =>
  html
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();

/** The number of a page that has this label. */
export function shownStat(html: string, label: string): number {
  const [, value] = new RegExp(`>${label}</span><span[^>]*>(?:<a[^>]*>)?([^<]*)`).exec(html) ?? [];
  return toNumber(value);
}

/** The number that the legend of the chart has beside a word. */
export function shownSum(html: string, word: string): number {
  return toNumber(new RegExp(`■</span> ([\\d,]+) ${word} `).exec(html)?.[1]);
}

/** The rows of the table with a class: for each text in their first link, the numbers below the headings. */
export function shownRows(
  html: string,
  className: string,
  headings: readonly string[],
): Map<string, readonly number[]> {
  const [, head = '', body = ''] =
    new RegExp(`<table class="${className}"><thead>(.*?)</thead>(.*?)</table>`, 's').exec(html) ?? [];
  const columns = head
    .split('<th')
    .slice(1)
    .map((cell) => withoutTags(`<th${cell}`));
  const rows = body.split('<tr>').slice(1);
  return new Map(
    rows.map((row) => {
      const cells = row
        .split('<td')
        .slice(1)
        .map((cell) => withoutTags(`<td${cell}`));
      const [, name = cells[0] ?? ''] = /<a [^>]*href="([^"]*)"/.exec(row) ?? [];
      const numbers = headings.map((heading) => {
        const cell = cells[columns.findIndex((column) => column.startsWith(heading))];
        return cell === '–' ? 0 : toNumber(cell);
      });
      return [decodeURIComponent(name.split('/').at(-1) ?? ''), numbers];
    }),
  );
}
