interface ComponentLabel {
  title: string
  /** What the component does for Colophon. */
  purpose: string
  /** What to expect while the component is failing. */
  impact: string
}

const components = new Map<string, ComponentLabel>([
  [
    'postgres',
    {
      title: 'PostgreSQL',
      purpose: 'Stores projects, members, API keys, jobs and settings.',
      impact: 'Colophon cannot work without it.',
    },
  ],
  [
    'temporal',
    {
      title: 'Temporal',
      purpose: 'Runs the steps of each job.',
      impact: 'New jobs are accepted and queued. All jobs continue when it works again.',
    },
  ],
  [
    'clickhouse',
    {
      title: 'ClickHouse',
      purpose: 'Stores and counts page views.',
      impact: 'New page views are accepted and buffered. Analytics are unavailable until it works again.',
    },
  ],
])

/** A newer server may have components that the dashboard does not know. */
export const describeComponent = (name: string): ComponentLabel =>
  components.get(name) ?? { title: name, purpose: '', impact: '' }
