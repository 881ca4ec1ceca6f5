/** Ids and names of the database that pages are about. */
export type Subjects = {
  /** Half of `closed`, an event from the middle of the month. */
  readonly middle: string;
  /** An open event with five attempts, and its event id. */
  readonly event: string;
  readonly eventId: string;
  /** An archived event. */
  readonly archived: string;
  /** The error group with most permanent failures, and the one of the outage. */
  readonly group: string;
  readonly outage: string;
  /** A replay of all open events and all permanent failures, of which a part is settled. */
  readonly run: string;
};

/** The address of each page that is measured, relative to the console. */
export function listPages(of: Subjects): Readonly<Record<string, string>> {
  const search = (q: string, more = {}) => `events?${new URLSearchParams({ q, ...more })}`;
  const [group, outage] = [`fingerprint:${of.group}`, `fingerprint:${of.outage}`];
  return {
    overview: '',
    'overview, 1 hour': '?range=1h',
    'overview, 6 hours': '?range=6h',
    'overview, 7 days': '?range=7d',
    'overview, 30 days': '?range=30d',
    errors: 'groups',
    'errors, by novelty': 'groups?order=novelty',
    'errors, latest first': 'groups?order=recent',
    'errors, by failures in 24 hours': 'groups?order=failures',
    'errors, by open events': 'groups?order=open',
    'errors, by permanent failures': 'groups?order=permanent',
    'errors, first seen': 'groups?order=first',
    'errors, the oldest': 'groups?order=first&dir=asc',
    'errors, of all states': 'groups?view=all',
    'errors, muted': 'groups?view=muted',
    'errors, by words': 'groups?q=connection',
    'errors, by a frequent word': 'groups?q=step',
    'errors, of a type': 'groups?type=order.7',
    'errors, of a consumer': 'groups?consumer=consumer-2',
    'errors, of a target': `groups?${new URLSearchParams({ target: 'http://psp/' })}`,
    'errors, new': 'groups?novelty=new',
    'errors, without owner': 'groups?owner=none',
    'the errors after the first page': 'groups?order=recent&after=1~v1:0',
    'the largest error': `groups/${encodeURIComponent(of.group)}`,
    'the error of an outage': `groups/${encodeURIComponent(of.outage)}`,
    'the error of an outage, 6 hours': `groups/${encodeURIComponent(of.outage)}?range=6h`,
    'the largest error, 30 days': `groups/${encodeURIComponent(of.group)}?range=30d`,
    'merge an error': `groups/${encodeURIComponent(of.outage)}/merge`,
    events: 'events',
    'events, from the middle of all': `events?before=${of.middle}`,
    'events that failed permanently': search('status:FAILED_PERMANENTLY'),
    'events that are open': search('status:open'),
    'events that were delivered': search('status:delivered'),
    'events that were discarded': search('status:DISCARDED'),
    'events that are due': search('due:now'),
    'events that are due within the hour': search('due:<1h'),
    'events that are due later': search('due:>1h'),
    'events of a type in a day': search('type:order.7 failed:>24h'),
    'events of a type of all time': search('type:order.7'),
    'events of a consumer of all time': search('group:consumer-2'),
    'events of a day three weeks ago': search('failed:>21d failed:<20d'),
    'events captured three weeks ago': search('captured:>21d captured:<20d'),
    'permanent failures older than three weeks': search('status:FAILED_PERMANENTLY failed:<21d'),
    'events of a key': search('key:customer-7'),
    'events of the largest error': search(group),
    'events of a replay': search(`run:${of.run}`),
    'failed events of a replay': search(`run:${of.run}/failed`),
    'waiting events of a replay': search(`run:${of.run}/waiting`),
    'search: an event id': search(of.eventId),
    'search: an id in a payload': search('ORD-4711'),
    'search: an id in an archived payload': 'events/archive?q=ORD-4715',
    'search: a type': search('order.7'),
    'search: an id of no event': search('ORD-99999999'),
    'search: a rare word, in two events of the day': search('"in step 5003"'),
    'search: a frequent word': search('timed'),
    'search: a word without events': search('PspUnavailable'),
    'search: a word without events, of all time': search('text:PspUnavailable'),
    'search: a text in the errors of a day': search('error:"step 499" failed:>24h'),
    'search: a text in payloads of a day': search('contains:ORD-4999999 failed:>24h'),
    'search: a text in payloads of open events': search('contains:ORD-4711 status:open'),
    'search: a text in all payloads': search('contains:ORD-4711'),
    'search: JSON in payloads of a day': search('payload:{"orderId": "ORD-4999999"} failed:>24h'),
    'search: JSON in all payloads': search('payload:{"orderId": "ORD-4711"}'),
    'the archive': 'events/archive',
    'a type in the archive, three weeks ago': `events/archive?q=type:order.7+failed:<21d`,
    'a key in the archive': 'events/archive?q=key:customer-7',
    'a word without events in the archive': 'events/archive?q=PspUnavailable',
    'one event': `events/${of.event}`,
    'edit one event': `events/${of.event}/edit`,
    'the body of an event': `events/${of.event}/body`,
    'the stack trace of an event': `events/${of.event}/stack`,
    'an event of the archive': `events/${of.archived}`,
    'export as CSV, first byte': `events/export?${new URLSearchParams({ q: 'status:FAILED_PERMANENTLY', format: 'csv' })}`,
    'export of all as NDJSON, first byte': 'events/export?q=&format=ndjson',
    'a replay preview, of an error': `runs/new?${new URLSearchParams({ q: `${group} status:FAILED_PERMANENTLY` })}`,
    'a replay preview, of an outage': `runs/new?${new URLSearchParams({ q: `${outage} status:PENDING` })}`,
    'a replay preview, of all open events': 'runs/new?q=status:PENDING',
    'a replay preview, of all permanent failures': 'runs/new?q=status:FAILED_PERMANENTLY',
    'a replay preview, of the failures of a day': `runs/new?${new URLSearchParams({ q: 'status:PENDING failed:>24h' })}`,
    'a discard preview, of an error': `events/discard?${new URLSearchParams({ q: group })}`,
    'a discard preview, of the failures of a day': `events/discard?${new URLSearchParams({ q: 'status:PENDING failed:>24h' })}`,
    'a reopen preview, of an error': `events/reopen?${new URLSearchParams({ q: `${group} status:FAILED_PERMANENTLY` })}`,
    'a priority preview, of all open events': 'events/reprioritize?q=status:open',
    'runs and the next tick': 'runs',
    'a large run': `runs/${of.run}`,
    'a large run, its deliveries': `runs/${of.run}?outcome=delivered`,
    'a large run, its failures': `runs/${of.run}?outcome=failed`,
    'scheduled retries': 'runs?view=ticks',
    targets: 'targets',
    'a target': `targets/${encodeURIComponent('http://shop/')}`,
    'a target that is down': `targets/${encodeURIComponent('http://psp/')}`,
    activity: 'activity',
    'activity of an operator': 'activity?actor=operator-7&since=7d',
  };
}
