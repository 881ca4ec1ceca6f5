import { html as template } from 'hono/html';

/** Markup whose every value has been escaped. Only `html` makes it. */
export type Html = Awaited<ReturnType<typeof template>>;

/** Values a template accepts. Objects are excluded, so that no part of an event can pass for markup. */
export type Content = Html | string | number | false | null | undefined | readonly Content[];

/** Makes markup; each value is escaped, in text and in quoted attributes alike. Falsy values except 0 are omitted. */
export function html(strings: TemplateStringsArray, ...values: readonly Content[]): Html {
  // hono returns a promise only for a value that is a promise, which `Content` excludes.
  return template(strings, ...values) as Html;
}
