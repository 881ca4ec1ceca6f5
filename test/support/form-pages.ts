import assert from 'node:assert/strict';

/** A page of the console as a browser without script has it. */
export type FormPage = {
  readonly url: string;
  readonly html: string;
  /** The text of its first heading. */
  readonly heading: string;
  /** The report of the last action. */
  readonly notice: string;
  /** Sends the form with this button as it stands but for `fields`, and returns the page that it leads to. */
  press(button: RegExp | string, fields?: Readonly<Record<string, string>>): Promise<FormPage>;
};

/** Opens a page, and follows redirects with the cookies that they set. */
export async function openFormPage(url: string, init: RequestInit = {}): Promise<FormPage> {
  const response = await fetch(url, { redirect: 'manual', ...init });
  const location = response.headers.get('location');
  if (location !== null) {
    const cookies = response.headers.getSetCookie().map((each) => each.split(';')[0]);
    return openFormPage(new URL(location, url).href, { headers: { cookie: cookies.join('; ') } });
  }
  const html = await response.text();
  const base = new URL(readAttribute(/<base [^>]*>/.exec(html)?.[0] ?? '', 'href') ?? '', url);
  return {
    ...{ url, html, heading: readText(/<h1.*?<\/h1>/s.exec(html)?.[0]) },
    notice: readText(/<p class="notice" role="status"[^>]*>.*?<\/p>/s.exec(html)?.[0]),
    press: (button, more = {}) => {
      const { form, action, isPost, fields } = findForm(html, button);
      for (const [name, value] of Object.entries(more)) {
        assert.ok(form.includes(` name="${name}"`), `The form has no field ${name}.`);
        fields.set(name, value);
      }
      const to = new URL(action, base);
      const headers = { 'sec-fetch-site': 'same-origin' };
      if (isPost) return openFormPage(to.href, { method: 'POST', headers, body: fields });
      to.search = `${fields}`;
      return openFormPage(to.href);
    },
  };
}

/** The form with a button, and the fields that it sends. */
export function findForm(html: string, button: RegExp | string) {
  for (const [form = ''] of html.matchAll(/<form\b.*?<\/form>/gs)) {
    const pressed = [...form.matchAll(/(<button[^>]*>)(.*?)<\/button>/gs)].find(([, , inner]) =>
      typeof button === 'string' ? readText(inner) === button : button.test(readText(inner)),
    );
    if (!pressed) continue;
    const fields = new URLSearchParams(listFields(form));
    const name = readAttribute(pressed[1] ?? '', 'name');
    if (name !== undefined) fields.set(name, readAttribute(pressed[1] ?? '', 'value') ?? '');
    const isPost = /^<form[^>]* method="post"/.test(form);
    return { form, action: readAttribute(form, 'action') ?? '', isPost, fields };
  }
  return assert.fail(`No form has the button ${button}: ${readText(html)}`);
}

function listFields(form: string): [name: string, value: string][] {
  const tags = /<input\b[^>]*>|<(select|textarea)\b[^>]*>.*?<\/\1>/gs;
  return [...form.matchAll(tags)].flatMap(([tag, kind]) => {
    const name = readAttribute(tag, 'name');
    const isChoice = /^<input[^>]* type="(checkbox|radio)"/.test(tag);
    if (name === undefined || (isChoice && !/^<input[^>]* checked/.test(tag))) return [];
    if (kind === 'textarea') return [[name, readText(tag)]];
    const options = [...tag.matchAll(/<option.*?<\/option>/gs)].map(([option]) => option);
    const chosen = options.find((each) => / selected/.test(each)) ?? options[0] ?? tag;
    return [[name, readAttribute(chosen, 'value') ?? (isChoice ? 'on' : readText(chosen))]];
  });
}

function readAttribute(tag: string, name: string): string | undefined {
  const value = new RegExp(`^<[^>]*? ${name}="([^"]*)"`).exec(tag)?.[1];
  return value === undefined ? undefined : readText(value);
}

const characters = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'", '&amp;': '&' };

/** The text of HTML, without its elements. */
export function readText(html = ''): string {
  const text = html.replaceAll(/<[^>]*>/g, '').trim();
  return Object.entries(characters).reduce((read, [entity, each]) => read.replaceAll(entity, each), text);
}
