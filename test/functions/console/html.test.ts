import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { visibleText } from '../../../functions/console/components/visible-text.ts';
import { html } from '../../../functions/console/html.ts';
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

  it('the template inserts markup and lists unescaped and omits empty values', () => {
    const list = ['<', '&'].map((each) => html`<i>${each}</i>`);

    assert.equal(String(html`${list}${false}${null}${undefined}${0}${''}`), '<i>&lt;</i><i>&amp;</i>0');
  });
});

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };

function readText(markup = ''): string {
  return markup.replaceAll(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => entities[name] ?? '');
}
