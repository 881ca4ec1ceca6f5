/** Whether a time zone is named. PostgreSQL reads an offset, such as `+02:00`, with the opposite sign. */
export function isTimeZone(name: string): boolean {
  try {
    return /^[A-Z]/i.test(name) && new Intl.DateTimeFormat('en', { timeZone: name }).format() !== '';
  } catch {
    return false;
  }
}
