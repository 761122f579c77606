// biome-ignore-all lint/performance/noBarrelFile: Temporal takes one file that has all workflows
export { exchangeVisit, testFoundRepository } from './ask-github.ts'
export { runAgentJob } from './run-agent-job.ts'
export { testStoredModel } from './test-stored-model.ts'
