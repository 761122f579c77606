/** Prometheus, and promtool, which checks its files: from the PATH, or built from source. */
import { join } from 'node:path'
import { getOrFillCacheDirectory } from './cache.ts'
import { findBinary } from './find-binary.ts'
import { buildGoModule, type GoModule } from './go-build.ts'

const version = 'v0.315.0' // of the module: Prometheus 3.15.0

const moduleWith = (name: string): GoModule => ({
  title: name === 'promtool' ? 'promtool' : 'Prometheus',
  path: 'github.com/prometheus/prometheus',
  version,
  sum: 'h1:sFGZWmC2Hk9N1NBJGCnXYZb5hyLCq8yuAMoEjLAg6ac=',
  commands: { [name]: `./cmd/${name}` },
  tags: 'remove_all_sd', // without the clients of all clouds, whose targets it could discover
  expectedSeconds: 200,
})

export const getPromtoolBinary = (): Promise<string> => getBinary('promtool')
export const getPrometheusBinary = (): Promise<string> => getBinary('prometheus')

async function getBinary(name: string): Promise<string> {
  const installed = findBinary(name)
  if (installed) return installed
  const directory = await getOrFillCacheDirectory(name, version, (part) => buildGoModule(moduleWith(name), part))
  return join(directory, 'bin', name)
}
