interface ComponentLabel {
  title: string
  description: string
  /** What to expect while the component is down. */
  whenDown: string
}

const services: Readonly<Record<string, ComponentLabel>> = {
  postgres: {
    title: 'PostgreSQL',
    description: 'Stores jobs, API keys, members and settings.',
    whenDown: 'Nothing can be read or changed until it is available again.',
  },
  temporal: {
    title: 'Temporal',
    description: 'Runs the steps of each job.',
    whenDown: 'New jobs are accepted and queued. All jobs continue when it is available again.',
  },
  clickhouse: {
    title: 'ClickHouse',
    description: 'Stores and counts page views.',
    whenDown: 'New page views are accepted and buffered. Analytics are unavailable until it is available again.',
  },
}

export const describeHealthComponent = (name: string): ComponentLabel =>
  services[name] ?? { title: name, description: '', whenDown: '' }
