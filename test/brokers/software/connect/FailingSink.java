package brokers;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.connect.connector.Task;
import org.apache.kafka.connect.errors.DataException;
import org.apache.kafka.connect.sink.SinkConnector;
import org.apache.kafka.connect.sink.SinkRecord;
import org.apache.kafka.connect.sink.SinkTask;

/** A sink whose task reports every record as failed. */
public class FailingSink extends SinkConnector {
  private Map<String, String> properties;

  @Override public void start(Map<String, String> properties) { this.properties = properties; }
  @Override public Class<? extends Task> taskClass() { return FailingTask.class; }
  @Override public List<Map<String, String>> taskConfigs(int maxTasks) { return List.of(properties); }
  @Override public void stop() {}
  @Override public ConfigDef config() { return new ConfigDef(); }
  @Override public String version() { return "1"; }

  public static class FailingTask extends SinkTask {
    @Override public void start(Map<String, String> properties) {}
    @Override public void stop() {}
    @Override public String version() { return "1"; }

    @Override public void put(Collection<SinkRecord> records) {
      for (var record : records) context.errantRecordReporter().report(record, failureOf(record));
    }

    private static Exception failureOf(SinkRecord record) {
      if (record.value() == null) return new NullPointerException();
      return new DataException("404: no such customer", new IllegalStateException("customer 77 is gone"));
    }
  }
}
