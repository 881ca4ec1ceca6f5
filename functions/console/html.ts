import { html as template } from 'hono/html';

/** Markup whose every value has been escaped. Only `html` makes it. */
export type Html = Awaited<ReturnType<typeof template>>;

/** What a template takes. No objects, so that nothing out of an event can pass for markup. */
export type Content = Html | string | number | false | null | undefined | readonly Content[];

/** Makes markup; each value is escaped, in text and in quoted attributes alike. Falsy values but 0 are left out. */
export function html(strings: TemplateStringsArray, ...values: readonly Content[]): Html {
  // It returns a promise only where a value is one, and none can be.
  return template(strings, ...values) as Html;
}
