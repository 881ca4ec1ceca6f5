/** The pages of the site in their order, by the headings of its navigation. Each is a file of docs/. */
export const sections: Readonly<Record<string, readonly string[]>> = {
  Guides: ['start', 'send', 'deliver', 'operate', 'deploy', 'decide'],
  'Send and route': ['capture', 'bring-over', 'adopt', 'policies'],
  'Work with events': ['filter', 'actions', 'command-line', 'runbook'],
  Reference: [
    'configuration',
    'metrics',
    'schema',
    'security',
    'scaling',
    'reliability',
    'architecture',
    'glossary',
  ],
};
