/** npm run build: creates the bundle of the workflows. */
import { getWorkflowBundle } from './workflow-bundle.ts'

await getWorkflowBundle()
