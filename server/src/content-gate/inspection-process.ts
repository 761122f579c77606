/** Reads an `InspectionInput` from stdin and prints the result. Started by `run-inspection.ts`. */
import { text } from 'node:stream/consumers'
import { type InspectionInput, inspectChanges } from './inspect-changes.ts'

const input = JSON.parse(await text(process.stdin)) as InspectionInput
process.stdout.write(JSON.stringify(await inspectChanges(input)))
