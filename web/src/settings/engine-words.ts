interface EngineWords {
  title: string
  does: string
  /** While it is away. */
  without: string
}

const engines: Readonly<Record<string, EngineWords>> = {
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

export const engineWords = (name: string): EngineWords => engines[name] ?? { title: name, does: '', without: '' }
