/** A setting of the stack with the value at which an alert fires. */
export type Limit = {
  readonly setting: string;
  /** Both are missing where a variable of the functions defines the setting. */
  readonly default?: number;
  readonly max?: number;
  /** The unit of the setting in that of the metric; 1 if omitted. */
  readonly factor?: number;
};

/** `id` is also the heading in docs/runbook.md with the steps for the operator. */
export type Alert = {
  readonly id: string;
  /** A clause, such as `a target is down`; `{limit}` is replaced by the value of the setting. */
  readonly title: string;
  readonly meaning: string;
  readonly above: number | Limit;
  /** It fires at the limit, too, and never at 0. */
  readonly atLeast?: boolean;
  /** Default: 15 minutes. */
  readonly forSeconds?: number;
  /** Default: WARNING. */
  readonly severity?: 'CRITICAL' | 'ERROR' | 'WARNING';
};

/**
 * A metric. Prometheus gets it as `dead_letter_NAME`; a name in `_total` is a counter, the end of the name is
 * the unit. A metric without labels is a field of the log line, and with a chart a log-based metric.
 */
export type Metric = {
  /** HELP, the title of its chart, and its row in docs/metrics.md, which goes on with `note`. */
  readonly help: string;
  readonly note?: string;
  /** Labels of a family of values. */
  readonly by?: readonly string[];
  /** Label with the object that the one value belongs to. */
  readonly of?: string;
  /** It has a chart. One with an alert always has. */
  readonly chart?: true;
  readonly alert?: Alert;
};
