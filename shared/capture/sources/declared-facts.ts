import { keyFromId } from '../identity.ts';
import type { Facts } from '../message.ts';
import type { Source } from './find-source.ts';
import { type Placed, readPlaces } from './read-places.ts';

/** The facts that are where a source says that they are: they come before all that is read otherwise. */
export function readDeclared(source: Source, placed: Placed): Partial<Facts> {
  const [id, type] = [readPlaces(source.id, placed), readPlaces(source.type, placed, '.')];
  const [key, consumer] = [readPlaces(source.key, placed), readPlaces(source.consumer, placed)];
  const reason = readPlaces(source.reason, placed, ': ');
  return {
    ...(id !== null && { eventId: id, eventKey: keyFromId(id) }),
    ...(type !== null && { eventType: type, isTypeTold: true }),
    ...(key !== null && { sourceKey: key, sourceKeyBase64: null }),
    ...(consumer !== null && { consumer, consumerGroup: consumer }),
    ...(reason !== null && { errorReason: reason }),
  };
}
