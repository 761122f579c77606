import type { Repository } from '@colophon/sdk'
import { Code, Group, Loader, Select, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { ErrorAlert } from '../shown/error-alert.tsx'
import { repositoryQuery } from './queries.ts'
import { SettingsCard } from './settings-card.tsx'
import { fromOption, siteGeneratorLabels, siteGeneratorOptions, toOption } from './site-generator-labels.ts'
import { useChangePublishingRules } from './use-change-publishing-rules.ts'

const refetchMs = 3_000

/** The recognized site generator, and a way to correct it. */
export function SiteCard({
  projectId,
  repository,
  canChange,
}: {
  projectId: string
  repository: Repository
  canChange: boolean
}) {
  // The repository is read in the background after it is connected and after a change.
  useQuery({ ...repositoryQuery(projectId), refetchInterval: repository.site ? false : refetchMs })
  const save = useChangePublishingRules(projectId, 'Saved. It applies from the next turn.')
  return (
    <SettingsCard
      title="Site generator"
      lead="It decides which navigation the agent can edit, and what a page may contain."
    >
      <RecognizedSite repository={repository} />
      <Select
        label="Site generator"
        description="Choose one if it is not recognized correctly"
        data={siteGeneratorOptions}
        value={toOption(repository.rules.siteGenerator)}
        onChange={(option) => save.mutate({ siteGenerator: fromOption(option) })}
        allowDeselect={false}
        disabled={!canChange || save.isPending}
      />
      <ErrorAlert error={save.error} />
    </SettingsCard>
  )
}

function RecognizedSite({ repository: { site } }: { repository: Repository }) {
  if (!site)
    return (
      <Group gap="xs" role="status">
        <Loader size="xs" aria-hidden="true" />
        <Text size="sm">Reading the repository…</Text>
      </Group>
    )
  if (site.generator === 'unknown')
    return (
      <Text size="sm">
        No site generator was recognized. The agent can edit pages and lists of pages such as <Code>toc.yml</Code>, and
        the strictest rules apply to what a page may contain.
      </Text>
    )
  return (
    <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
      {siteGeneratorLabels[site.generator]}
      {site.configFile !== null && (
        <>
          , configured in <Code>{site.configFile}</Code>
        </>
      )}
      , with pages in <Code>{site.pagesFolder === '' ? '/' : site.pagesFolder}</Code>
    </Text>
  )
}
