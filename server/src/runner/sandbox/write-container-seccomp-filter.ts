/** node write-container-seccomp-filter.ts FILE: used in the build of the runner's image. */
import { writeFileSync } from 'node:fs'
import { compileContainerSeccompFilter } from './seccomp.ts'

const [, , file = ''] = process.argv
writeFileSync(file, compileContainerSeccompFilter(process.arch))
