import type { FigureField } from './figures.ts';

/** As PromQL knows a metric of Cloud Monitoring: the first slash is a colon, all else that is special an underscore. */
function toPromQl(metric: string): string {
  return metric.replace('/', ':').replaceAll(/[^a-zA-Z0-9_:]/g, '_');
}

const run = 'monitored_resource="cloud_run_revision"';

/** The latest value of a figure, in an office called `name`. Of values that are equal the mean is the value. */
export function latest(name: string, field: FigureField): string {
  const metric = toPromQl(`logging.googleapis.com/user/${name}/${field}`);
  const over = (suffix: string) => `sum(increase(${metric}_${suffix}{${run}}[15m]))`;
  return `${over('sum')} / ${over('count')}`;
}

/** How often something was logged within `window`; 0, not nothing, where it never was. */
export function counted(name: string, what: string, window: string): string {
  const metric = toPromQl(`logging.googleapis.com/user/${name}/${what}`);
  return `(sum(increase(${metric}{${run}}[${window}])) or vector(0))`;
}

/** A figure of Google's own, of one resource. */
export function measured(metric: string, resource: string, labels: string): string {
  return `${toPromQl(metric)}{monitored_resource="${resource}", ${labels}}`;
}
