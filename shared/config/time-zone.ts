/**
 * Whether a text names a time zone, such as `Europe/Berlin`. An offset, such as `+02:00`, is no name:
 * PostgreSQL reads it with the opposite sign.
 */
export function isTimeZone(name: string): boolean {
  try {
    return /^[A-Z]/i.test(name) && new Intl.DateTimeFormat('en', { timeZone: name }).format() !== '';
  } catch {
    return false;
  }
}
