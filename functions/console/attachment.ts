/** Answers with a file that browsers save and do not open. `type` is its media type. */
export function attachment(body: ReadableStream, name: string, type: string): Response {
  const headers = { 'content-disposition': `attachment; filename="${name}"`, 'content-type': type };
  return new Response(body, { headers });
}
