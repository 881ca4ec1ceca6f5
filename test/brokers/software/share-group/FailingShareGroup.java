package brokers;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.consumer.AcknowledgeType;
import org.apache.kafka.clients.consumer.KafkaShareConsumer;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** A share group that rejects empty records, and releases all others until their deliveries are used up. */
public class FailingShareGroup {
  public static void main(String[] arguments) throws Exception {
    var servers = System.getenv("BOOTSTRAP");
    var group = Map.of(
        "errors.deadletterqueue.topic.name", "dlq.share",
        "errors.deadletterqueue.copy.record.enable", "true",
        "share.auto.offset.reset", "earliest",
        "share.delivery.count.limit", "3");
    try (var admin = Admin.create(Map.of("bootstrap.servers", servers))) {
      var resource = new ConfigResource(ConfigResource.Type.GROUP, "workers");
      var settings = group.entrySet().stream().map((each) ->
          new AlterConfigOp(new ConfigEntry(each.getKey(), each.getValue()), AlterConfigOp.OpType.SET)).toList();
      admin.incrementalAlterConfigs(Map.of(resource, settings)).all().get();
    }
    var properties = new Properties();
    properties.put("bootstrap.servers", servers);
    properties.put("group.id", "workers");
    properties.put("share.acknowledgement.mode", "explicit");
    var bytes = new ByteArrayDeserializer();
    try (var consumer = new KafkaShareConsumer<>(properties, bytes, bytes)) {
      consumer.subscribe(List.of("share-orders"));
      while (true) {
        for (var record : consumer.poll(Duration.ofMillis(500))) {
          var isEmpty = record.value() == null || record.value().length == 0;
          consumer.acknowledge(record, isEmpty ? AcknowledgeType.REJECT : AcknowledgeType.RELEASE);
        }
        consumer.commitSync();
      }
    }
  }
}
