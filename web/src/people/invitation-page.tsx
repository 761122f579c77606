import { Loader } from '@mantine/core'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { useLocation } from '@tanstack/react-router'
import { client } from '../app/client.ts'
import { Failure } from '../shown/failure.tsx'
import { AcceptInvitation } from './accept-invitation.tsx'
import { FrontDoor } from './front-door.tsx'
import { tokenIn } from './link-token.ts'

const invitationQuery = (token: string) =>
  queryOptions({
    queryKey: ['invitation', token],
    queryFn: ({ signal }) => client.invitations.look({ token }, { signal }),
    staleTime: Number.POSITIVE_INFINITY, // once taken it cannot be looked at again, and the page is still there
  })

export function InvitationPage() {
  const token = tokenIn(useLocation().hash)
  const { data: invitation, error, isPending } = useQuery({ ...invitationQuery(token), enabled: token !== '' })
  if (token === '')
    return (
      <FrontDoor title="Invitation" lead="The link is not whole.">
        Copy all of it, with what follows the # sign, into the address line, or ask for another.
      </FrontDoor>
    )
  if (isPending)
    return (
      <FrontDoor title="Invitation">
        <Loader aria-label="Looking at the invitation" />
      </FrontDoor>
    )
  if (!invitation)
    return (
      <FrontDoor title="Invitation">
        <Failure error={error} title="This invitation cannot be used" />
        Invitations end after a while and work once. Whoever sent you the link can make another.
      </FrontDoor>
    )
  return <AcceptInvitation token={token} invitation={invitation} />
}
