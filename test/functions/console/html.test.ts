import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { foldAlike, foldedTable } from '../../../functions/console/components/table.ts';
import { html, visibleText } from '../../../functions/console/html.ts';
import { anyCharacter } from '../../support/any-character.ts';

describe('html template', () => {
  it('the template escapes any text between tags and in quoted attributes', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => {
        const [, inAttribute, between] =
          /^<a href="([^"]*)">([^<>]*)<\/a>$/s.exec(String(html`<a href="${text}">${text}</a>`)) ?? [];
        assert.deepEqual([readText(inAttribute), readText(between)], [text, visibleText(text)]);
      }),
    );
  });

  it('the template shows characters that join the text around them, but those within an emoji', () => {
    const family = '👩\u200D👧';
    assert.equal(visibleText(`a\u200Db \u202E${family}`), `a\\u200Db \\u202E${family}`);
    // A soft hyphen, a filler of Hangul, and letters that only programs read.
    assert.equal(visibleText('\u00AD\u3164\u{E0041}'), '\\u00AD\\u3164\\uDB40\\uDC41');
  });

  it('the template shows them where a user reads them, and leaves them in links and fields', () => {
    const [raw, shown] = ['a\u202Eb', 'a\\u202Eb'];
    assert.equal(
      String(html`<a href="${raw}" title="${raw}">${[raw]}</a><textarea>\n${raw}</textarea>`),
      `<a href="${raw}" title="${shown}">${shown}</a><textarea>\n${raw}</textarea>`,
    );
  });

  it('the template inserts markup and lists unescaped and omits empty values', () => {
    const list = ['<', '&'].map((each) => html`<i>${each}</i>`);

    assert.equal(String(html`${list}${false}${null}${undefined}${0}${''}`), '<i>&lt;</i><i>&amp;</i>0');
  });

  it('a table folds rows that say the same, unless they are all of it', () => {
    const show = (...rows: string[]) =>
      String(foldedTable('', foldAlike(rows, String), [['Row', '', (row) => row]]));

    const folded = show('a', 'b', 'b', 'b', 'b', 'b', 'c');
    assert.match(
      folded,
      /<td class="">b<.*> 4 more like this<.*<tbody class="folded" data-key="b">.*<\/tbody><tbody>.*<td class="">c</s,
    );
    assert.equal(folded.match(/<td class="">b</g)?.length, 5);
    assert.doesNotMatch(show('b', 'b', 'b', 'b', 'b', 'b'), /more like/);
  });
});

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };

function readText(markup = ''): string {
  return markup.replaceAll(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => entities[name] ?? '');
}
