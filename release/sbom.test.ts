import { expect, test } from 'vitest'
import { removeUnreleasedPackages } from './sbom.ts'

test('the SBOM lists no package that is only for tests', () => {
  const server = { 'bom-ref': '@colophon/server@0.1.0' }
  const simulator = { 'bom-ref': '@colophon/github-simulator@0.1.0' }
  const ajv = { 'bom-ref': 'ajv@8.20.0' }
  const sbom = {
    bomFormat: 'CycloneDX',
    components: [server, simulator, ajv],
    dependencies: [
      { ref: '@colophon/server@0.1.0', dependsOn: ['ajv@8.20.0'] },
      { ref: '@colophon/github-simulator@0.1.0', dependsOn: [] },
      { ref: 'ajv@8.20.0', dependsOn: [] },
    ],
  }
  expect(JSON.parse(removeUnreleasedPackages(JSON.stringify(sbom)))).toEqual({
    bomFormat: 'CycloneDX',
    components: [server, ajv],
    dependencies: [
      { ref: '@colophon/server@0.1.0', dependsOn: ['ajv@8.20.0'] },
      { ref: 'ajv@8.20.0', dependsOn: [] },
    ],
  })
})
