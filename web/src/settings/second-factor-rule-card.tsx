import { Switch, Text } from '@mantine/core'
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { client } from '../app/client.ts'
import { useReauthentication } from '../people/reauthentication.tsx'
import { ErrorAlert } from '../shown/error-alert.tsx'
import { SettingsCard } from './settings-card.tsx'

const secondFactorRuleQuery = (projectId: string) =>
  queryOptions({
    queryKey: ['second-factor-rule', projectId],
    queryFn: ({ signal }) => client.members.getSecondFactorRule(projectId, { signal }),
  })

export function SecondFactorRuleCard({ projectId, canChange }: { projectId: string; canChange: boolean }) {
  const queryClient = useQueryClient()
  const withReauthentication = useReauthentication()
  const { data, error } = useQuery(secondFactorRuleQuery(projectId))
  const change = useMutation({
    mutationFn: (required: boolean) =>
      withReauthentication(() => client.members.requireSecondFactor(projectId, { required })),
    onSuccess: (rule) => queryClient.setQueryData(secondFactorRuleQuery(projectId).queryKey, rule),
  })
  const without = data?.membersWithout ?? 0
  return (
    <SettingsCard title="Second factor">
      <Switch
        size="md"
        label="Require a second factor"
        description="Members need a passkey or an authenticator app to use this project, unless they sign in with an identity provider. API keys are not affected."
        checked={change.isPending ? change.variables : data?.required === true}
        onChange={(event) => change.mutate(event.currentTarget.checked)}
        disabled={!canChange || !data || change.isPending}
      />
      {without > 0 && (
        <Text size="sm">{without === 1 ? '1 member has' : `${without} members have`} no second factor yet.</Text>
      )}
      <ErrorAlert error={change.error ?? error} />
    </SettingsCard>
  )
}
