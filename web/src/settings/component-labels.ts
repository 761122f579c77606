interface ComponentLabel {
  title: string
  does: string
  /** While it is away. */
  without: string
}

const services: Readonly<Record<string, ComponentLabel>> = {
  postgres: {
    title: 'PostgreSQL',
    does: 'Keeps jobs, keys, members and settings.',
    without: 'Nothing can be read or changed until it is back.',
  },
  temporal: {
    title: 'Temporal',
    does: 'Moves jobs from step to step.',
    without: 'Jobs are taken and wait; they go on by themselves when it is back.',
  },
  clickhouse: {
    title: 'ClickHouse',
    does: 'Counts page views.',
    without: 'Views are taken and wait; reports cannot be shown until it is back.',
  },
}

export const componentLabels = (name: string): ComponentLabel =>
  services[name] ?? { title: name, does: '', without: '' }
