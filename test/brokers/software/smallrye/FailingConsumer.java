package brokers;

import jakarta.enterprise.context.ApplicationScoped;
import java.net.ConnectException;
import java.util.concurrent.CompletionStage;
import org.eclipse.microprofile.reactive.messaging.Acknowledgment;
import org.eclipse.microprofile.reactive.messaging.Incoming;
import org.eclipse.microprofile.reactive.messaging.Message;
import org.jboss.weld.environment.se.Weld;

/** Consumers of SmallRye Reactive Messaging (Quarkus) that always fail, with a dead-letter topic and a delayed retry. */
@ApplicationScoped
public class FailingConsumer {
  @Incoming("orders") @Acknowledgment(Acknowledgment.Strategy.MANUAL)
  public CompletionStage<Void> charge(Message<byte[]> message) {
    if (message.getPayload() == null) return message.nack(new NullPointerException());
    return message.nack(new IllegalStateException("payments answered 503: größer", new ConnectException("refused")));
  }

  @Incoming("parcels") @Acknowledgment(Acknowledgment.Strategy.MANUAL)
  public CompletionStage<Void> ship(Message<byte[]> message) {
    return message.nack(new IllegalStateException("warehouse is closed"));
  }

  public static void main(String[] arguments) throws InterruptedException {
    new Weld().initialize();
    Thread.currentThread().join();
  }
}
