/** Which source and which builder the artifacts come from: an in-toto statement with SLSA's provenance. */
import type { Artifact } from './checksums.ts'

export interface Build {
  version: string
  /** `owner/name` on GitHub. Undefined: a build of a clone whose origin is not known. */
  repository: string | undefined
  commit: string
  /** SHA-256 of package-lock.json, which pins every package. */
  lockfileSha256: string
  /** The run of GitHub Actions. Undefined: a build on someone's own machine, which proves nothing to others. */
  workflow: { ref: string; runUrl: string } | undefined
  startedAt: Date
  finishedAt: Date
}

export function provenanceStatement(artifacts: readonly Artifact[], build: Build) {
  const { version, repository, commit, lockfileSha256, workflow, startedAt, finishedAt } = build
  const source = repository ? `git+https://github.com/${repository}` : 'git+file:colophon'
  return {
    _type: 'https://in-toto.io/Statement/v1',
    subject: artifacts.map(({ name, sha256 }) => ({ name, digest: { sha256 } })),
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: repository
          ? `https://github.com/${repository}/blob/${commit}/release/release.ts`
          : 'urn:colophon:release',
        externalParameters: { version, source: `${source}@refs/tags/v${version}` },
        resolvedDependencies: [
          { uri: source, digest: { gitCommit: commit } },
          { name: 'package-lock.json', uri: `${source}#package-lock.json`, digest: { sha256: lockfileSha256 } },
        ],
      },
      runDetails: {
        builder: { id: workflow ? `https://github.com/${workflow.ref}` : 'urn:colophon:local-build' },
        metadata: {
          ...(workflow && { invocationId: workflow.runUrl }),
          startedOn: startedAt.toISOString(),
          finishedOn: finishedAt.toISOString(),
        },
      },
    },
  }
}
