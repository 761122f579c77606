/** How large a run is: the load, how long it lasts, and what a week of it has left in the tables. */
import type { ProofRun, ProofSize } from '../proof.ts'

export interface Plan {
  projects: number
  /** Projects with a repository and an API key, which create jobs and read reports. */
  connectedProjects: number
  beaconsPerSecond: number
  jobsPerMinute: number
  warmUpSeconds: number
  measuredSeconds: number
  sampleSeconds: number
  /** In the tables at the start. Fewer than a week's jobs only at the `ci` size, where the figures say so. */
  prefilledJobs: number
  /** ClickHouse gets one row for this many views of the past week, which counts as that many. The sums get all their rows. */
  viewsPerPrefilledRow: number
  /** Beacons are written in batches, each of which ClickHouse remembers for 100 days. Measured, but fewer at the `ci` size. */
  batchesPerSecond: number
}

export const weekSeconds = 7 * 24 * 3600
const weekMinutes = weekSeconds / 60

const sizes: Record<ProofSize, Plan> = {
  ci: {
    projects: 300,
    connectedProjects: 10,
    beaconsPerSecond: 150,
    jobsPerMinute: 20,
    warmUpSeconds: 10,
    measuredSeconds: 60,
    sampleSeconds: 4,
    prefilledJobs: 5_000,
    viewsPerPrefilledRow: 50,
    batchesPerSecond: 10,
  },
  stated: {
    projects: 10_000,
    connectedProjects: 200,
    beaconsPerSecond: 2_000,
    jobsPerMinute: 20,
    warmUpSeconds: 90,
    measuredSeconds: 900,
    sampleSeconds: 20,
    prefilledJobs: 20 * weekMinutes,
    viewsPerPrefilledRow: 20,
    batchesPerSecond: 100,
  },
  full: {
    projects: 100_000,
    connectedProjects: 200,
    beaconsPerSecond: 2_000,
    jobsPerMinute: 20,
    warmUpSeconds: 120,
    measuredSeconds: 900,
    sampleSeconds: 20,
    prefilledJobs: 20 * weekMinutes,
    viewsPerPrefilledRow: 20,
    batchesPerSecond: 100,
  },
}

/** Arguments such as `minutes=3 projects=2000` shorten a run during development. */
export function createPlan({ size, args }: Pick<ProofRun, 'size' | 'args'>): Plan {
  const plan = { ...sizes[size] }
  for (const argument of args) {
    const [name = '', text = ''] = argument.split('=')
    const value = Number(text)
    if (name === 'minutes') plan.measuredSeconds = value * 60
    else if (name === 'projects') plan.projects = value
    else if (name === 'beacons') plan.beaconsPerSecond = value
    else if (name === 'jobs') plan.prefilledJobs = value
    else if (argument !== 'keep-logs') throw new Error(`Unknown argument: ${argument}`)
  }
  plan.connectedProjects = Math.min(plan.connectedProjects, plan.projects)
  return plan
}
